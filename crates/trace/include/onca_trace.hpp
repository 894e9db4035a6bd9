// C++ over onca_trace.h: states that end with their block.
#ifndef ONCA_TRACE_HPP
#define ONCA_TRACE_HPP

#include <onca_trace.h>

namespace onca {

// A trace that is open as long as this lives.
class Trace {
public:
    explicit Trace(const char *path, const onca_trace_options *options = nullptr)
        : open_(onca_trace_open(path, options) == 0) {}
    ~Trace() {
        if (open_) onca_trace_close();
    }
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;
    explicit operator bool() const { return open_; }

private:
    bool open_;
};

// A container that ends with this.
class Container {
public:
    Container(onca_type type, onca_container parent, const char *name) : id_(onca_create(type, parent, name)) {}
    ~Container() { onca_destroy(id_); }
    Container(const Container &) = delete;
    Container &operator=(const Container &) = delete;
    operator onca_container() const { return id_; }

private:
    onca_container id_;
};

// A state that is open as long as this lives.
class State {
public:
    State(onca_container container, onca_type type, onca_value value) : container_(container), type_(type) {
        onca_push(container, type, value);
    }
    State(onca_container container, onca_type type, onca_value value, const char *comment)
        : container_(container), type_(type) {
        onca_push_comment(container, type, value, comment);
    }
    ~State() { onca_pop(container_, type_); }
    State(const State &) = delete;
    State &operator=(const State &) = delete;

private:
    onca_container container_;
    onca_type type_;
};

} // namespace onca

#endif
