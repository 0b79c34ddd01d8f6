    for (size_t from = 0; from < m; from += batch) {
        size_t to = std::min(m, from + batch);
        std::vector<std::vector<double>> p(to - from, std::vector<double>(k, 0.0));
        for (size_t i = from; i < to; ++i) {
            auto &row = p[i - from];
            double total = 0;
            for (size_t c = 0; c < k; ++c) {
                for (size_t j = 0; j < n; ++j) row[c] += double(X[i * n + j]) * theta[j * k + c];
                total += row[c] = std::exp(row[c]);
            }
            for (auto &value : row) value /= total;
            row[y[i]] -= 1;
        }
        for (size_t i = from; i < to; ++i)
            for (size_t j = 0; j < n; ++j)
                for (size_t c = 0; c < k; ++c)
                    theta[j * k + c] -= float(lr / (to - from) * X[i * n + j] * p[i - from][c]);
    }
