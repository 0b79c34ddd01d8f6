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
    throw std::logic_error("softmax_regression_epoch_cpp is not written yet");
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
