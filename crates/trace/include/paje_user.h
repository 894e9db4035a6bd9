/* The calls with which a program defines what it shows, as the Pajé paper names them (J. Chassin de Kergommeaux,
 * B. Stein, P. E. Bernard: Pajé, an interactive visualization tool for tuning multi-threaded parallel applications, 2000;
 * Tables 1 and 2). All handles are unsigned numbers; the type and the container 0 are the root. A comment may be NULL.
 *
 * The paper defines a link type by the container type that it belongs to, and does not say what is linked. Here that is
 * containers of the type that was last defined below it; pajeDefineUserLinkTypeBetween says something else.
 */
#ifndef PAJE_USER_H
#define PAJE_USER_H

#include <onca_trace.h>

typedef unsigned paje_handle;

/* Table 1: types, values, containers. */
#define pajeDefineUserContainerType(CTYPE, NAME) onca_container_type((CTYPE), (NAME))
#define pajeDefineUserEventType(CTYPE, NAME) onca_event_type((CTYPE), (NAME))
#define pajeDefineUserStateType(CTYPE, NAME) onca_state_type((CTYPE), (NAME))
#define pajeDefineUserLinkType(CTYPE, NAME) onca_link_type_within((CTYPE), (NAME))
#define pajeDefineUserLinkTypeBetween(CTYPE, NAME, FROM, TO) onca_link_type((CTYPE), (NAME), (FROM), (TO))
#define pajeDefineUserVariableType(CTYPE, NAME) onca_variable_type((CTYPE), (NAME))
#define pajeNewUserEntityValue(ETYPE, NAME) onca_value_of((ETYPE), (NAME), ONCA_NO_COLOR)
#define pajeCreateUserContainer(CTYPE, NAME, IN) onca_create((CTYPE), (IN), (NAME))
#define pajeDestroyUserContainer(CONTAINER) onca_destroy(CONTAINER)

/* Table 2: what happens. */
#define pajeUserEvent(ETYPE, CONTAINER, VALUE, COMMENT) onca_event_comment((CONTAINER), (ETYPE), (VALUE), (COMMENT))
#define pajeSetUserState(ETYPE, CONTAINER, VALUE, COMMENT) onca_set_comment((CONTAINER), (ETYPE), (VALUE), (COMMENT))
#define pajePushUserState(ETYPE, CONTAINER, VALUE, COMMENT) onca_push_comment((CONTAINER), (ETYPE), (VALUE), (COMMENT))
#define pajePopUserState(ETYPE, CONTAINER, COMMENT) onca_pop_comment((CONTAINER), (ETYPE), (COMMENT))
#define pajeStartUserLink(ETYPE, CONTAINER, SOURCE, VALUE, KEY, COMMENT) \
    onca_link_in(1, (CONTAINER), (SOURCE), (ETYPE), (VALUE), (uint64_t)(KEY), (COMMENT))
#define pajeEndUserLink(ETYPE, CONTAINER, DESTINATION, VALUE, KEY, COMMENT) \
    onca_link_in(0, (CONTAINER), (DESTINATION), (ETYPE), (VALUE), (uint64_t)(KEY), (COMMENT))
#define pajeSetUserVariable(ETYPE, CONTAINER, VALUE, COMMENT) onca_set_d_comment((CONTAINER), (ETYPE), (VALUE), (COMMENT))
#define pajeAddUserVariable(ETYPE, CONTAINER, VALUE, COMMENT) onca_add_d_comment((CONTAINER), (ETYPE), (VALUE), (COMMENT))

#endif
