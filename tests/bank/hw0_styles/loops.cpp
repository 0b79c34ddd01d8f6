    float *Z = new float[batch * k];
    float *grad = new float[n * k];
    for (size_t b = 0; b < m; b += batch) {
        size_t rows = batch;
        if (b + rows > m)
            rows = m - b;
        for (size_t i = 0; i < rows; i++) {
            float sum = 0;
            for (size_t j = 0; j < k; j++) {
                float dot = 0;
                for (size_t l = 0; l < n; l++)
                    dot += X[(b + i) * n + l] * theta[l * k + j];
                Z[i * k + j] = exp(dot);
                sum += Z[i * k + j];
            }
            for (size_t j = 0; j < k; j++)
                Z[i * k + j] = Z[i * k + j] / sum - (y[b + i] == j ? 1 : 0);
        }
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; j < k; j++) {
                grad[l * k + j] = 0;
                for (size_t i = 0; i < rows; i++)
                    grad[l * k + j] += X[(b + i) * n + l] * Z[i * k + j];
            }
        for (size_t l = 0; l < n * k; l++)
            theta[l] -= lr * grad[l] / rows;
    }
    delete[] Z;
    delete[] grad;
