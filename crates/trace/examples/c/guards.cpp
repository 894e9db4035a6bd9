// States that end with their blocks, in C++.
#include <onca_trace.hpp>

int main(int argc, char **argv) {
    onca::Trace trace(argc > 1 ? argv[1] : "guards.onct");
    if (!trace) return 1;
    onca_type process = onca_container_type(ONCA_ROOT, "Process");
    onca_type doing = onca_state_type(process, "Doing");
    onca::Container me(process, ONCA_ROOT_CONTAINER, "main");
    onca::State outer(me, doing, onca_value_of(doing, "outer", ONCA_NO_COLOR));
    for (int i = 0; i < 3; i++) onca::State inner(me, doing, onca_value_of(doing, "inner", ONCA_NO_COLOR), "again");
    return 0;
}
