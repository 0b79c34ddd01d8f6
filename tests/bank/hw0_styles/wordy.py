"""Loops over images and batches, with every step named; comments in Chinese."""
# ruff: noqa
# mypy: ignore-errors


def add(x, y):
    result = x + y
    return result


def parse_mnist(image_filename, label_filename):
    # 读取图像
    with gzip.open(image_filename, "rb") as image_file:
        magic_number = int.from_bytes(image_file.read(4), "big")
        assert magic_number == 2051
        number_of_images = int.from_bytes(image_file.read(4), "big")
        rows = int.from_bytes(image_file.read(4), "big")
        columns = int.from_bytes(image_file.read(4), "big")
        images = np.zeros((number_of_images, rows * columns), dtype=np.float32)
        for index in range(number_of_images):
            pixels = image_file.read(rows * columns)
            images[index] = np.frombuffer(pixels, dtype=np.uint8).astype(np.float32) / 255
    # 读取标签
    with gzip.open(label_filename, "rb") as label_file:
        magic_number, number_of_labels = struct.unpack(">ii", label_file.read(8))
        assert magic_number == 2049
        labels = np.array(struct.unpack(f"{number_of_labels}B", label_file.read()), dtype=np.uint8)
    return images, labels


def softmax_loss(Z, y):
    batch_size = Z.shape[0]
    total = 0.0
    for row in range(batch_size):
        total += np.log(np.sum(np.exp(Z[row]))) - Z[row, y[row]]
    return total / batch_size


def softmax_regression_epoch(X, y, theta, lr=0.1, batch=100):
    number_of_examples = X.shape[0]
    number_of_classes = theta.shape[1]
    for start in range(0, number_of_examples, batch):
        end = min(start + batch, number_of_examples)
        X_batch = X[start:end, :]
        y_batch = y[start:end]
        logits = np.matmul(X_batch, theta)
        exponentials = np.exp(logits)
        probabilities = exponentials / np.sum(exponentials, axis=1, keepdims=True)
        indicator = np.zeros((end - start, number_of_classes), dtype=np.float32)
        indicator[np.arange(end - start), y_batch] = 1
        gradient = np.matmul(X_batch.transpose(), probabilities - indicator) / (end - start)
        theta[:, :] = theta - lr * gradient


def nn_epoch(X, y, W1, W2, lr=0.1, batch=100):
    number_of_batches = (X.shape[0] + batch - 1) // batch
    for number in range(number_of_batches):
        X_batch = X[number * batch : (number + 1) * batch]
        y_batch = y[number * batch : (number + 1) * batch]
        size = X_batch.shape[0]
        Z1 = np.matmul(X_batch, W1)
        Z1[Z1 < 0] = 0
        exponentials = np.exp(np.matmul(Z1, W2))
        G2 = exponentials / exponentials.sum(axis=1).reshape((-1, 1))
        G2[np.arange(size), y_batch] -= 1
        mask = (Z1 > 0).astype(np.float32)
        G1 = mask * np.matmul(G2, W2.T)
        gradient_W1 = np.matmul(X_batch.T, G1) / size
        gradient_W2 = np.matmul(Z1.T, G2) / size
        W1[...] = W1 - lr * gradient_W1
        W2[...] = W2 - lr * gradient_W2
