    const size_t steps = m / batch;
    for (size_t step = 0; step < steps; step++) {
        const float *Xb = X + step * batch * n;
        const unsigned char *yb = y + step * batch;
        float *logits = (float *)calloc(batch * k, sizeof(float));
        for (size_t i = 0; i < batch; i++)
            for (size_t l = 0; l < n; l++)
                for (size_t j = 0; j < k; j++)
                    logits[i * k + j] += Xb[i * n + l] * theta[l * k + j];
        for (size_t i = 0; i < batch; i++) {
            float sum = 0.f;
            for (size_t j = 0; j < k; j++)
                sum += logits[i * k + j] = expf(logits[i * k + j]);
            for (size_t j = 0; j < k; j++)
                logits[i * k + j] /= sum;
            logits[i * k + yb[i]] -= 1.f;
        }
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; j < k; j++) {
                float g = 0.f;
                for (size_t i = 0; i < batch; i++)
                    g += Xb[i * n + l] * logits[i * k + j];
                theta[l * k + j] -= lr / batch * g;
            }
        free(logits);
    }
