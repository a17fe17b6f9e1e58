// Nothing to call: it watches from when the tests are loaded.
