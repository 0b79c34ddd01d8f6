#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <cstring>

namespace py = pybind11;

// 矩阵乘法: C (m, k) = A (m, n) * B (n, k)
static void matrix_multiply(const float *A, const float *B, float *C, size_t m, size_t n, size_t k)
{
	memset(C, 0, sizeof(float) * m * k);
	for (size_t i = 0; i < m; ++i)
		for (size_t j = 0; j < n; ++j)
			for (size_t l = 0; l < k; ++l)
				C[i * k + l] += A[i * n + j] * B[j * k + l];
}

static void transpose(const float *A, float *T, size_t m, size_t n)
{
	for (size_t i = 0; i < m; ++i)
		for (size_t j = 0; j < n; ++j)
			T[j * m + i] = A[i * n + j];
}

void softmax_regression_epoch_cpp(const float *X, const unsigned char *y, float *theta, size_t m, size_t n, size_t k,
								  float lr, size_t batch)
{
	/// BEGIN YOUR CODE
	float *logits = new float[batch * k];
	float *transposed = new float[n * batch];
	float *gradient = new float[n * k];
	for (size_t start = 0; start < m; start += batch)
	{
		size_t size = std::min(batch, m - start);
		matrix_multiply(X + start * n, theta, logits, size, n, k);
		for (size_t i = 0; i < size; ++i)
		{
			double total = 0;
			for (size_t j = 0; j < k; ++j)
				total += exp(logits[i * k + j]);
			for (size_t j = 0; j < k; ++j)
				logits[i * k + j] = exp(logits[i * k + j]) / total;
			logits[i * k + y[start + i]] -= 1;
		}
		transpose(X + start * n, transposed, size, n);
		matrix_multiply(transposed, logits, gradient, n, size, k);
		for (size_t i = 0; i < n * k; ++i)
			theta[i] -= lr * gradient[i] / size;
	}
	delete[] logits;
	delete[] transposed;
	delete[] gradient;
	/// END YOUR CODE
}

PYBIND11_MODULE(simple_ml_ext, m)
{
	m.def("softmax_regression_epoch_cpp",
		  [](py::array_t<float, py::array::c_style> X, py::array_t<unsigned char, py::array::c_style> y,
			 py::array_t<float, py::array::c_style> theta, float lr, int batch)
		  {
			  py::buffer_info x = X.request(), labels = y.request(), weights = theta.request();
			  softmax_regression_epoch_cpp(static_cast<const float *>(x.ptr),
										   static_cast<const unsigned char *>(labels.ptr),
										   static_cast<float *>(weights.ptr), x.shape[0], x.shape[1], weights.shape[1],
										   lr, batch);
		  });
}
