"""Modules: layers, containers, and the loss."""

from .nn_basic import *
