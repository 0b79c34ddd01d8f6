// The whole file: pointers from buffers, the loop in a function of its own.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <cmath>
#include <iostream>

namespace py = pybind11;
using std::size_t;

static void one_step(const float *X, const unsigned char *y, float *theta, size_t rows, size_t n, size_t k, float lr)
{
    float *delta = new float[rows * k]();
    for (size_t r = 0; r < rows; ++r) {
        float *d = delta + r * k;
        float norm = 0;
        for (size_t c = 0; c < k; ++c) {
            for (size_t a = 0; a < n; ++a)
                d[c] += X[r * n + a] * theta[a * k + c];
            d[c] = std::exp(d[c]);
            norm += d[c];
        }
        for (size_t c = 0; c < k; ++c)
            d[c] = (d[c] / norm - float(c == y[r])) / rows;
    }
    for (size_t a = 0; a < n; ++a)
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < k; ++c)
                theta[a * k + c] -= lr * X[r * n + a] * delta[r * k + c];
    delete[] delta;
}

void softmax_regression_epoch_cpp(const float *X, const unsigned char *y,
                                  float *theta, size_t m, size_t n, size_t k,
                                  float lr, size_t batch)
{
    for (size_t at = 0; at < m; at += batch)
        one_step(X + at * n, y + at, theta, at + batch <= m ? batch : m - at, n, k, lr);
}

PYBIND11_MODULE(simple_ml_ext, ext)
{
    ext.def(
        "softmax_regression_epoch_cpp",
        [](py::array_t<float, py::array::c_style> X, py::array_t<unsigned char, py::array::c_style> y,
           py::array_t<float, py::array::c_style> theta, float lr, int batch) {
            auto Xb = X.request(), yb = y.request(), tb = theta.request();
            softmax_regression_epoch_cpp(static_cast<const float *>(Xb.ptr),
                                         static_cast<const unsigned char *>(yb.ptr), static_cast<float *>(tb.ptr),
                                         Xb.shape[0], Xb.shape[1], tb.shape[1], lr, batch);
        },
        py::arg("X"), py::arg("y"), py::arg("theta"), py::arg("lr"), py::arg("batch"));
}
