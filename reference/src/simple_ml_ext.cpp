// hw0: one epoch of softmax regression in C++, as the Python module simple_ml_ext.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace py = pybind11;

// One pass of minibatch gradient descent over softmax regression, in the order of the data.
//
// All matrices are row-major: X is m by n (images by inputs), theta n by k (inputs by classes) and changed in
// place; y holds m class indices below k. lr is the learning rate, batch the number of images per step. The
// last batch may be short, and its gradient is averaged over the images it has.
void softmax_regression_epoch_cpp(const float *X, const unsigned char *y, float *theta, size_t m, size_t n,
                                  size_t k, float lr, size_t batch)
{
    /// BEGIN YOUR SOLUTION
    std::vector<float> residual(k);      // softmax minus one-hot, for one image
    std::vector<float> gradient(n * k);  // sum over the images of a batch

    for (size_t start = 0; start < m; start += batch) {
        const size_t end = std::min(start + batch, m);
        std::fill(gradient.begin(), gradient.end(), 0.0f);

        for (size_t i = start; i < end; ++i) {
            const float *x = X + i * n;

            // logits
            std::fill(residual.begin(), residual.end(), 0.0f);
            for (size_t a = 0; a < n; ++a)
                for (size_t c = 0; c < k; ++c)
                    residual[c] += x[a] * theta[a * k + c];

            // softmax; the largest logit is taken out first, so that exp cannot overflow
            const float largest = *std::max_element(residual.begin(), residual.end());
            float total = 0.0f;
            for (float &value : residual) {
                value = std::exp(value - largest);
                total += value;
            }
            for (float &value : residual)
                value /= total;
            residual[y[i]] -= 1.0f;

            for (size_t a = 0; a < n; ++a)
                for (size_t c = 0; c < k; ++c)
                    gradient[a * k + c] += x[a] * residual[c];
        }

        const float step = lr / static_cast<float>(end - start);
        for (size_t j = 0; j < n * k; ++j)
            theta[j] -= step * gradient[j];
    }
    /// END YOUR SOLUTION
}

// The function for Python: takes numpy arrays, checks their shapes, and hands on pointers.
PYBIND11_MODULE(simple_ml_ext, module)
{
    module.def(
        "softmax_regression_epoch_cpp",
        [](py::array_t<float, py::array::c_style> X, py::array_t<unsigned char, py::array::c_style> y,
           py::array_t<float, py::array::c_style> theta, float lr, py::ssize_t batch) {
            if (X.ndim() != 2 || y.ndim() != 1 || theta.ndim() != 2)
                throw std::invalid_argument("X and theta must have two axes, y one");
            if (X.shape(0) != y.shape(0) || X.shape(1) != theta.shape(0))
                throw std::invalid_argument("the shapes of X, y and theta do not fit together");
            if (batch < 1)
                throw std::invalid_argument("batch must be at least 1");
            softmax_regression_epoch_cpp(X.data(), y.data(), theta.mutable_data(), X.shape(0), X.shape(1),
                                         theta.shape(1), lr, batch);
        },
        // theta is never converted: the change would go to a copy
        py::arg("X"), py::arg("y"), py::arg("theta").noconvert(), py::arg("lr"), py::arg("batch"));
}
