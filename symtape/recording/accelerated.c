/* The hot path of an eager tape in C: operations on tensors, their edges, and the sweep.

   Each function here does what a function in Python does (those of symtape/recording/tensor.py and
   edges.py, and of symtape/numeric/reverse.py), on numbers and arrays of float64; of all else it
   calls that function. So there is one meaning, written in Python, and this file may be left out.
   It keeps no state but what `bind` hands over. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { WIDTH = 6, MOST = 8 }; /* items of an edge; inputs of an operation */

/* What Python hands over once; see `bind`. */
static struct {
    PyTypeObject *tensor, *rule, *array, *float64, *generic;
    PyObject *dtype, *reals, *objects, *no_params, *stack, *next_id;
    PyObject *operand, *record_output, *bring_back, *gather, *bare, *add_to;
    PyObject *record;
    Py_ssize_t value, id, edges, ids, first, locator, selects;
    Py_ssize_t only, function, rule_selects, scatters;
} given;

static PyTypeObject *edge_recorder; /* the last type that was found to record as edges.py does */

#define NAMES(X)                                                                                   \
    X(base) X(dtype) X(flags) X(ndim) X(shape) X(writeable) X(recorders) X(rules) X(keep)          \
    X(elementwise) X(evaluate) X(plain) X(variadic) X(missing) X(cuts) X(record) X(index)
#define DECLARE(name) static PyObject *s_##name;
NAMES(DECLARE)

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))
#define VALUE(tensor) SLOT(tensor, given.value)
#define ID(tensor) SLOT(tensor, given.id)
#define IS_TENSOR(x) (Py_TYPE(x) == given.tensor)

/* What a rule wants to have kept, by the codes of symtape/primitives/rule.py. */
#define ONLY(rule) PyLong_AsLong(SLOT(rule, given.only))

/* Whether an attribute is True; -1 for an error. */
static int is_set(PyObject *x, PyObject *name) {
    PyObject *found = PyObject_GetAttr(x, name);
    Py_XDECREF(found);
    return found == NULL ? -1 : found == Py_True;
}

/* 1 for a float64 array or number of NumPy's, 0 for anything else, -1 for an error. */
static int is_float64(PyObject *x) {
    if (Py_TYPE(x) == given.float64) return 1;
    if (Py_TYPE(x) != given.array) return 0;
    PyObject *dtype = PyObject_GetAttr(x, s_dtype);
    Py_XDECREF(dtype);
    return dtype == NULL ? -1 : dtype == given.dtype;
}

/* 1 for what is real by its type: a Python number, or an array or number of one of given.reals. */
static int is_real(PyObject *x) {
    if (PyFloat_CheckExact(x) || PyLong_CheckExact(x) || PyBool_Check(x)) return 1;
    if (Py_TYPE(x) == given.float64) return 1;
    if (Py_TYPE(x) != given.array) return 0;
    PyObject *dtype = PyObject_GetAttr(x, s_dtype);
    int found = dtype == NULL ? -1 : dtype == given.dtype;
    if (found == 0) found = PySequence_Contains(given.reals, dtype);
    Py_XDECREF(dtype);
    return found;
}

/* ---- operations ------------------------------------------------------------------------- */

typedef struct { /* of a row on inputs; all references are borrowed */
    PyObject *row, *inputs[MOST], *params, *output;
    int count, is_real, plain, variadic, missing, cuts; /* plain: none of the three after it */
} Operation;

/* The operand of `row` that Python makes of `x`: a new reference. NULL without an error where Python
   has to apply the operation. */
static PyObject *operand_of(PyObject *x, PyObject *row) {
    PyObject *args[2] = {x, row};
    if (IS_TENSOR(x) || PyFloat_CheckExact(x) || PyLong_CheckExact(x) || PyBool_Check(x) ||
        Py_TYPE(x) == given.float64)
        return Py_NewRef(x);
    return Py_TYPE(x) == given.array ? PyObject_Vectorcall(given.operand, args, 2, NULL) : NULL;
}

static PyObject *make_tensor(PyObject *value) {
    PyObject *made = given.tensor->tp_alloc(given.tensor, 0), *id = NULL;
    if (made != NULL && (id = PyObject_CallNoArgs(given.next_id)) == NULL) Py_CLEAR(made);
    if (made == NULL) return NULL;
    VALUE(made) = Py_NewRef(value);
    ID(made) = id;
    return made;
}

/* Whether `recorder` records as the functions of edges.py do, and nobody asks it where. */
static int records_plainly(PyObject *recorder) {
    PyTypeObject *type = Py_TYPE(recorder);
    if (type != edge_recorder) {
        PyObject *found = PyObject_GetAttr((PyObject *)type, s_record);
        Py_XDECREF(found);
        if (found != given.record) return found == NULL ? -1 : 0;
        Py_XSETREF(edge_recorder, (PyTypeObject *)Py_NewRef((PyObject *)type));
    }
    return SLOT(recorder, given.locator) == Py_None;
}

/* What the cotangent of `value` has to be brought back to: None where shapes agree. */
static PyObject *template_of(PyObject *value, PyObject *result) {
    if (Py_TYPE(value) == given.float64 && Py_TYPE(result) == given.float64) Py_RETURN_NONE;
    PyObject *ours = PyObject_GetAttr(value, s_shape), *theirs = PyObject_GetAttr(result, s_shape);
    int same = ours && theirs ? PyObject_RichCompareBool(ours, theirs, Py_EQ) : -1;
    PyObject *found = NULL;
    if (same > 0)
        found = Py_NewRef(Py_None);
    else if (same == 0)
        found = PyTuple_Pack(2, ours, given.dtype);
    Py_XDECREF(ours);
    Py_XDECREF(theirs);
    return found;
}

static PyObject *pack_inputs(Operation *op) {
    PyObject *inputs = PyTuple_New(op->count);
    for (int i = 0; inputs != NULL && i < op->count; i++)
        PyTuple_SET_ITEM(inputs, i, Py_NewRef(op->inputs[i]));
    return inputs;
}

/* What a rule wants to have kept: a new reference. */
static PyObject *keep(Operation *op, PyObject *rule, int position) {
    long only = ONLY(rule);
    if (only == 0) return Py_NewRef(Py_None);
    if (only == 3) return Py_NewRef(op->output);
    if (only > 0) return Py_NewRef(op->inputs[only - 1]);
    PyObject *inputs = pack_inputs(op), *kept = NULL;
    PyObject *number = inputs ? PyLong_FromLong(position) : NULL;
    if (number != NULL) {
        PyObject *args[5] = {rule, number, inputs, op->output, op->params};
        kept = PyObject_VectorcallMethod(s_keep, args, 5, NULL);
    }
    Py_XDECREF(number);
    Py_XDECREF(inputs);
    return kept;
}

/* Append the edge from the output to an input, or nothing: half of one would be read wrongly. */
static int append_edge(PyObject *recorder, Operation *op, int position, int last, PyObject *rule) {
    PyObject *x = op->inputs[position], *like = Py_NewRef(Py_None), *kept = NULL;
    int whole = op->count > 1 ? is_set(op->row, s_elementwise) : 0, noted = 0;
    if (whole > 0) Py_SETREF(like, template_of(VALUE(x), VALUE(op->output)));
    if (whole >= 0 && like != NULL) kept = keep(op, rule, position);
    PyObject *items[WIDTH] = {ID(op->output), last ? Py_True : Py_False, ID(x), rule, kept, like};
    PyObject *edges = SLOT(recorder, given.edges);
    while (kept != NULL && noted < WIDTH && PyList_Append(edges, items[noted]) == 0) noted++;
    Py_XDECREF(kept);
    Py_XDECREF(like);
    if (noted == WIDTH) return 0;
    Py_ssize_t size = PyList_GET_SIZE(edges);
    if (noted) PyList_SetSlice(edges, size - noted, size, NULL);
    return -1;
}

/* Take note of an edge to each traced input. Returns 1 if done, 0 if Python has to do it (nothing
   has been noted then), -1 for an error. */
static int record_plainly(PyObject *recorder, Operation *op) {
    int plainly = op->is_real && !op->missing && !op->cuts ? records_plainly(recorder) : 0;
    if (plainly <= 0) return plainly;
    PyObject *ids = SLOT(recorder, given.ids), *traced[MOST] = {NULL};
    PyObject *rules = PyObject_GetAttr(op->row, s_rules);
    if (rules == NULL) return -1;
    int last = 1;
    int done = PyTuple_Check(rules) && PyTuple_GET_SIZE(rules) == (op->variadic ? 1 : op->count);
    for (int i = 0; done > 0 && i < op->count; i++) {
        PyObject *x = op->inputs[i], *rule = PyTuple_GET_ITEM(rules, op->variadic ? 0 : i);
        if (!IS_TENSOR(x)) continue;
        int known = PySet_Contains(ids, ID(x));
        /* Of a tensor that is older than the recording Python tells. */
        if (known == 0)
            done = PyObject_RichCompareBool(ID(x), SLOT(recorder, given.first), Py_GE);
        else if (known < 0 || (done = is_float64(VALUE(x))) < 0)
            done = -1;
        else if (rule == Py_None)
            done = done && op->count > 1;
        else if (Py_TYPE(rule) != given.rule)
            done = 0;
        else
            traced[i] = rule;
    }
    for (int i = 0; done > 0 && i < op->count; i++) {
        if (traced[i] == NULL) continue;
        if (op->count > 2 && SLOT(traced[i], given.rule_selects) == Py_True)
            Py_SETREF(SLOT(recorder, given.selects), Py_NewRef(Py_True));
        if (append_edge(recorder, op, i, last, traced[i]) < 0) done = -1;
        last = 0;
    }
    if (done > 0 && !last && PySet_Add(ids, ID(op->output)) < 0) done = -1;
    Py_DECREF(rules);
    return done;
}

/* Let a recorder take note by its own method. */
static int record_in_python(PyObject *recorder, Operation *op) {
    PyObject *inputs = pack_inputs(op), *answer = NULL;
    PyObject *args[5] = {recorder, op->row, inputs, op->params, op->output};
    if (inputs != NULL) answer = PyObject_VectorcallMethod(s_record, args, 5, NULL);
    Py_XDECREF(inputs);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

static int tell_recorder(PyObject *recorder, Operation *op) {
    int done = record_plainly(recorder, op);
    return done == 0 ? record_in_python(recorder, op) : done < 0 ? -1 : 0;
}

static int tell_recorders(Operation *op) {
    PyObject *recorders = PyObject_GetAttr(given.stack, s_recorders), *recorder;
    int failed = recorders == NULL;
    if (!failed && PyList_CheckExact(recorders)) /* which is replaced, never changed */
        for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(recorders); i++)
            failed = tell_recorder(PyList_GET_ITEM(recorders, i), op) < 0;
    else if (!failed && PyObject_Size(recorders) != 0) { /* those of other threads */
        PyObject *iterator = PyObject_GetIter(recorders);
        while (iterator != NULL && !failed && (recorder = PyIter_Next(iterator)) != NULL) {
            failed = tell_recorder(recorder, op) < 0;
            Py_DECREF(recorder);
        }
        Py_XDECREF(iterator);
    }
    Py_XDECREF(recorders);
    return failed || PyErr_Occurred() ? -1 : 0;
}

/* Hand on to Python what is no array and no number: several outputs, text. */
static PyObject *record_other(Operation *op, PyObject *value) {
    PyObject *inputs = pack_inputs(op), *found = NULL;
    if (inputs != NULL)
        found = PyObject_CallFunctionObjArgs(given.record_output, op->row, inputs, op->params,
                                             value, NULL);
    Py_XDECREF(inputs);
    return found;
}

/* What the operation evaluated to (taken over) as a tensor of which every recorder knows. */
static PyObject *record(Operation *op, PyObject *value) {
    if (value == NULL) return NULL;
    if (Py_TYPE(value) == given.array) {
        PyObject *dtype = PyObject_GetAttr(value, s_dtype), *ndim = PyObject_GetAttr(value, s_ndim);
        int is_object = dtype == given.objects;
        long axes = ndim ? PyLong_AsLong(ndim) : -1;
        op->is_real = op->is_real && dtype == given.dtype;
        Py_XDECREF(dtype);
        Py_XDECREF(ndim);
        if (is_object) goto other;
        PyObject *nothing = axes == 0 ? PyTuple_New(0) : NULL;
        if (nothing != NULL) Py_SETREF(value, PyObject_GetItem(value, nothing));
        Py_XDECREF(nothing);
        if (PyErr_Occurred()) goto failed;
    } else if (!PyObject_TypeCheck(value, given.generic))
        goto other;
    else
        op->is_real = op->is_real && Py_TYPE(value) == given.float64;
    op->output = make_tensor(value);
    Py_DECREF(value);
    if (op->output != NULL && tell_recorders(op) < 0) Py_CLEAR(op->output);
    return op->output;
other:;
    PyObject *found = PyErr_Occurred() ? NULL : record_other(op, value);
    Py_DECREF(value);
    return found;
failed:
    Py_XDECREF(value);
    return NULL;
}

/* Look at the row and the inputs of an operation: -1 for an error. */
static int inspect(Operation *op) {
    op->is_real = 1;
    for (int i = 0; i < op->count; i++) {
        int real = is_real(IS_TENSOR(op->inputs[i]) ? VALUE(op->inputs[i]) : op->inputs[i]);
        if (real < 0) return -1;
        op->is_real = op->is_real && real;
    }
    if ((op->plain = is_set(op->row, s_plain)) != 0) return op->plain < 0 ? -1 : 0;
    op->variadic = is_set(op->row, s_variadic);
    op->missing = is_set(op->row, s_missing);
    op->cuts = is_set(op->row, s_cuts);
    return PyErr_Occurred() ? -1 : 0;
}

/* Evaluate a row, by `one` or `two` if they are given, and record it. NotImplemented where Python
   has to look at the operands. */
static PyObject *apply(PyObject *row, PyObject *const *args, Py_ssize_t count, PyObject *params,
                       unaryfunc one, binaryfunc two) {
    Operation op = {.row = row, .params = params, .count = (int)count};
    PyObject *values[MOST], *output = NULL, *value = NULL;
    int made = 0, tensors = 0;
    for (; count <= MOST && made < count; made++) {
        PyObject *x = operand_of(args[made], row);
        if (x == NULL) break;
        tensors += IS_TENSOR(x);
        op.inputs[made] = x;
        values[made] = IS_TENSOR(x) ? VALUE(x) : x;
    }
    if (PyErr_Occurred()) goto finish;
    if (made < count || tensors == 0) {
        output = Py_NewRef(Py_NotImplemented);
        goto finish;
    }
    if (inspect(&op) < 0) goto finish;
    if (one != NULL)
        value = one(values[0]);
    else if (two != NULL)
        value = two(values[0], values[1]);
    else {
        PyObject *evaluate = PyObject_GetAttr(row, s_evaluate);
        if (evaluate != NULL) value = PyObject_VectorcallDict(evaluate, values, count, params);
        Py_XDECREF(evaluate);
    }
    output = record(&op, value);
finish:
    while (made > 0) Py_DECREF(op.inputs[--made]);
    return output;
}

/* ---- methods of tensors ------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD vectorcallfunc call;
    PyObject *row, *fallback;
    unaryfunc one;
    binaryfunc two;
    int reflected;
} Method;

static PyObject *square(PyObject *x) { return PyNumber_Multiply(x, x); }
static PyObject *power(PyObject *x, PyObject *y) { return PyNumber_Power(x, y, Py_None); }
static PyObject *less(PyObject *x, PyObject *y) { return PyObject_RichCompare(x, y, Py_LT); }
static PyObject *less_equal(PyObject *x, PyObject *y) { return PyObject_RichCompare(x, y, Py_LE); }
static PyObject *greater(PyObject *x, PyObject *y) { return PyObject_RichCompare(x, y, Py_GT); }
static PyObject *greater_equal(PyObject *x, PyObject *y) {
    return PyObject_RichCompare(x, y, Py_GE);
}

/* An operator: a unary one, or one of a tensor and anything. */
static PyObject *call_operator(PyObject *self, PyObject *const *args, size_t flags,
                               PyObject *names) {
    Method *method = (Method *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    PyObject *output = Py_NotImplemented;
    if (names == NULL && given.tensor && count == (method->one ? 1 : 2) && IS_TENSOR(args[0])) {
        PyObject *turned[2] = {args[count - 1], args[0]};
        output = apply(method->row, method->reflected ? turned : args, count, given.no_params,
                       method->one, method->two);
    } else
        Py_INCREF(output);
    if (output != Py_NotImplemented) return output;
    Py_DECREF(output);
    return PyObject_Vectorcall(method->fallback, args, flags, names);
}

/* tensor.__array_ufunc__(ufunc, "__call__", *inputs): `row` is the table of the rows of ufuncs. */
static PyObject *call_ufunc(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
    Method *method = (Method *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (given.tensor && count > 3 && (names == NULL || PyTuple_GET_SIZE(names) == 0) &&
        PyUnicode_Check(args[2]) && PyUnicode_CompareWithASCIIString(args[2], "__call__") == 0) {
        PyObject *row = PyDict_GetItemWithError(method->row, args[1]);
        PyObject *output =
            row ? apply(row, args + 3, count - 3, given.no_params, NULL, NULL) : NULL;
        if (PyErr_Occurred() || (output != NULL && output != Py_NotImplemented)) return output;
        Py_XDECREF(output);
    }
    return PyObject_Vectorcall(method->fallback, args, flags, names);
}

/* Whether an index is made of whole numbers, slices of them, None and Ellipsis. */
static int is_plain_index(PyObject *index) {
    if (PyLong_CheckExact(index) || index == Py_None || index == Py_Ellipsis) return 1;
    if (PySlice_Check(index)) {
        PySliceObject *slice = (PySliceObject *)index;
        PyObject *parts[3] = {slice->start, slice->stop, slice->step};
        for (int i = 0; i < 3; i++)
            if (!PyLong_CheckExact(parts[i]) && parts[i] != Py_None) return 0;
        return 1;
    }
    if (!PyTuple_CheckExact(index)) return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++) {
        PyObject *item = PyTuple_GET_ITEM(index, i);
        if (PyTuple_Check(item) || !is_plain_index(item)) return 0;
    }
    return 1;
}

static PyObject *call_getitem(PyObject *self, PyObject *const *args, size_t flags,
                              PyObject *names) {
    Method *method = (Method *)self;
    if (names != NULL || !given.tensor || PyVectorcall_NARGS(flags) != 2 || !IS_TENSOR(args[0]) ||
        !is_plain_index(args[1]))
        return PyObject_Vectorcall(method->fallback, args, flags, names);
    Operation op = {.row = method->row, .inputs = {args[0]}, .count = 1, .params = PyDict_New()};
    PyObject *output = NULL;
    if (op.params != NULL && PyDict_SetItem(op.params, s_index, args[1]) == 0 && inspect(&op) == 0)
        output = record(&op, PyObject_GetItem(VALUE(args[0]), args[1]));
    Py_XDECREF(op.params);
    return output;
}

static const struct {
    const char *name;
    vectorcallfunc call;
    unaryfunc one;
    binaryfunc two;
} METHODS[] = {
    {"add", call_operator, NULL, PyNumber_Add},
    {"sub", call_operator, NULL, PyNumber_Subtract},
    {"mul", call_operator, NULL, PyNumber_Multiply},
    {"truediv", call_operator, NULL, PyNumber_TrueDivide},
    {"matmul", call_operator, NULL, PyNumber_MatrixMultiply},
    {"pow", call_operator, NULL, power},
    {"lt", call_operator, NULL, less},
    {"le", call_operator, NULL, less_equal},
    {"gt", call_operator, NULL, greater},
    {"ge", call_operator, NULL, greater_equal},
    {"neg", call_operator, PyNumber_Negative, NULL},
    {"square", call_operator, square, NULL},
    {"index", call_getitem, NULL, NULL},
    {"ufunc", call_ufunc, NULL, NULL},
};

static PyObject *make_method(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *words[] = {"name", "row", "fallback", "reflected", NULL};
    PyObject *row, *fallback;
    const char *name;
    int reflected = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOO|p", words, &name, &row, &fallback,
                                     &reflected))
        return NULL;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        if (strcmp(METHODS[i].name, name) != 0) continue;
        Method *made = (Method *)type->tp_alloc(type, 0);
        if (made == NULL) return NULL;
        made->call = METHODS[i].call;
        made->one = METHODS[i].one;
        made->two = METHODS[i].two;
        made->row = Py_NewRef(row);
        made->fallback = Py_NewRef(fallback);
        made->reflected = reflected;
        return (PyObject *)made;
    }
    return PyErr_Format(PyExc_ValueError, "name='%s': expected that of a method in METHODS", name);
}

static int traverse_method(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((Method *)self)->row);
    Py_VISIT(((Method *)self)->fallback);
    return 0;
}

static int clear_method(PyObject *self) {
    Py_CLEAR(((Method *)self)->row);
    Py_CLEAR(((Method *)self)->fallback);
    return 0;
}

static void free_method(PyObject *self) {
    PyObject_GC_UnTrack(self);
    clear_method(self);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *bind_method(PyObject *self, PyObject *owner, PyObject *type) {
    return owner == NULL || owner == Py_None ? Py_NewRef(self) : PyMethod_New(self, owner);
}

static PyMemberDef method_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(Method, fallback), READONLY, "The method in Python."},
    {NULL},
};

static PyTypeObject MethodType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "symtape.recording.accelerated.Method",
    .tp_doc = "A method of tensors, as `fallback` is one, which it calls for what it does not do.",
    .tp_basicsize = sizeof(Method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(Method, call),
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = bind_method,
    .tp_members = method_members,
    .tp_new = make_method,
    .tp_dealloc = free_method,
    .tp_traverse = traverse_method,
    .tp_clear = clear_method,
};

/* ---- the sweep -------------------------------------------------------------------------- */

static int fits(PyObject *total, PyObject *part) {
    if (Py_TYPE(total) != given.array || Py_TYPE(part) != given.array) return 0;
    int ours = is_float64(total), theirs = is_float64(part);
    if (ours < 0 || theirs < 0) return -1;
    if (!ours || !theirs) return 0;
    PyObject *like = template_of(part, total);
    Py_XDECREF(like);
    return like == NULL ? -1 : like == Py_None;
}

/* What a rule answers. */
static PyObject *call_rule(PyObject *rule, PyObject *g, PyObject *kept, PyObject *wrapper) {
    PyObject *function = SLOT(rule, given.function), *args[1 + MOST] = {g}, *all = NULL, *c = NULL;
    long only = ONLY(rule);
    Py_ssize_t size = only != 0;
    if (only > 0)
        args[1] = kept;
    else if (only < 0) {
        /* -2: with tuples of tensors in it */
        all = only != -2 || wrapper == Py_None
                  ? Py_NewRef(kept)
                  : PyObject_CallFunctionObjArgs(given.bare, kept, wrapper, NULL);
        if (all == NULL) return NULL;
        if ((size = PyTuple_GET_SIZE(all)) > MOST) {
            Py_DECREF(all);
            return PyErr_Format(PyExc_TypeError, "a rule takes %zd things; at most %d", size, MOST);
        }
        for (Py_ssize_t i = 0; i < size; i++) args[i + 1] = PyTuple_GET_ITEM(all, i);
    }
    for (Py_ssize_t i = 1; i <= size; i++)
        if ((PyObject *)Py_TYPE(args[i]) == wrapper && IS_TENSOR(args[i])) args[i] = VALUE(args[i]);
    c = PyObject_Vectorcall(function, args, size + 1, NULL);
    Py_XDECREF(all);
    return c;
}

typedef struct {
    PyObject *cotangents, *wanted, *wrapper, *found, *own;
} Sweep;

/* The cotangent of the output of an edge, a new reference, taken away if this is its last edge.
   NULL without an error if there is none. */
static PyObject *cotangent_of(Sweep *s, PyObject *output, PyObject *last) {
    PyObject *g = PyDict_GetItemWithError(s->cotangents, output);
    if (g != NULL) {
        Py_INCREF(g);
        int asked = 0;
        if (last == Py_True && (PyDict_DelItem(s->cotangents, output) < 0 ||
                                (asked = PySet_Contains(s->wanted, output)) < 0 ||
                                (asked && PyDict_SetItem(s->found, output, g) < 0)))
            Py_CLEAR(g);
        return g;
    }
    if (PyErr_Occurred() || !PyTuple_CheckExact(output)) return NULL;
    g = PyObject_CallFunctionObjArgs(given.gather, output, s->cotangents, last, s->wanted, s->found,
                                     NULL);
    if (g == Py_None) Py_CLEAR(g);
    return g;
}

/* Whether a total that fits is an array of its own, which nothing but the dict of totals holds. */
static int is_let_go(PyObject *total) {
    if (Py_REFCNT(total) != 1) return 0;
    PyObject *base = PyObject_GetAttr(total, s_base);
    Py_XDECREF(base);
    if (base != Py_None) return base == NULL ? -1 : 0;
    PyObject *flags = PyObject_GetAttr(total, s_flags);
    int writeable = flags == NULL ? -1 : is_set(flags, s_writeable);
    Py_XDECREF(flags);
    return writeable;
}

/* Add `c` to the cotangent of `source`: in place where the total was made here, or is nobody's. An
   array that is `fresh` is nobody else's. */
static int add_cotangent(Sweep *s, PyObject *source, PyObject *c, int fresh) {
    PyObject *before = PyDict_GetItemWithError(s->cotangents, source), *total = NULL;
    if (before == NULL && (PyErr_Occurred() || (fresh && PySet_Add(s->own, source) < 0))) return -1;
    if (before == NULL) return PyDict_SetItem(s->cotangents, source, c);
    int own = PySet_Contains(s->own, source);
    int in_place = own < 0 ? -1 : fits(before, c);
    if (in_place > 0 && !own) in_place = is_let_go(before);
    if (in_place < 0) return -1;
    Py_INCREF(before);
    if (own || PySet_Add(s->own, source) == 0)
        total = in_place ? PyNumber_InPlaceAdd(before, c) : PyNumber_Add(before, c);
    int failed = total == NULL || (!in_place && PyDict_SetItem(s->cotangents, source, total) < 0);
    Py_DECREF(before);
    Py_XDECREF(total);
    return failed ? -1 : 0;
}

/* Whether `g` was added, where it has to go, to a total that was made here. */
static int scatter(Sweep *s, PyObject *source, PyObject *kept, PyObject *g) {
    PyObject *before = PyDict_GetItemWithError(s->cotangents, source);
    int own = before ? PySet_Contains(s->own, source) : 0;
    if (own <= 0) return PyErr_Occurred() ? -1 : 0;
    PyObject *answer =
        PyObject_CallFunctionObjArgs(given.add_to, before, PyTuple_GET_ITEM(kept, 1), g, NULL);
    int done = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return done;
}

/* Pull back along one edge. */
static int pull_edge(Sweep *s, PyObject *edge) {
    if (!PyTuple_CheckExact(edge) || PyTuple_GET_SIZE(edge) != WIDTH ||
        Py_TYPE(PyTuple_GET_ITEM(edge, 2)) != given.rule) {
        PyErr_Format(PyExc_TypeError, "edges: expected %d items with a Rule, not %R", WIDTH, edge);
        return -1;
    }
    PyObject *like = PyTuple_GET_ITEM(edge, 0), *kept = PyTuple_GET_ITEM(edge, 1), *c = NULL;
    PyObject *rule = PyTuple_GET_ITEM(edge, 2), *source = PyTuple_GET_ITEM(edge, 3);
    PyObject *g = cotangent_of(s, PyTuple_GET_ITEM(edge, 5), PyTuple_GET_ITEM(edge, 4));
    if (g == NULL) return PyErr_Occurred() ? -1 : 0;
    int fresh = s->wrapper != Py_None && like == Py_None && ONLY(rule) < 0 &&
                SLOT(rule, given.scatters) == Py_True;
    int done = fresh ? scatter(s, source, kept, g) : 0;
    if (done == 0) {
        c = call_rule(rule, g, kept, s->wrapper);
        if (c != NULL && c != Py_None && like != Py_None)
            Py_SETREF(c,
                      PyObject_CallFunctionObjArgs(given.bring_back, c, PyTuple_GET_ITEM(like, 0),
                                                   PyTuple_GET_ITEM(like, 1), NULL));
        if (c == NULL || (c != Py_None && add_cotangent(s, source, c, fresh) < 0)) done = -1;
        Py_XDECREF(c);
    }
    Py_DECREF(g);
    return done < 0 ? -1 : 0;
}

/* Add what is left of the wanted cotangents to what was found. */
static int collect_wanted(Sweep *s) {
    PyObject *iterator = PyObject_GetIter(s->wanted), *source;
    int failed = iterator == NULL;
    while (!failed && (source = PyIter_Next(iterator)) != NULL) {
        PyObject *g = PyDict_GetItemWithError(s->cotangents, source);
        PyObject *before = g ? PyDict_GetItemWithError(s->found, source) : NULL;
        PyObject *total = g == NULL ? NULL : before ? PyNumber_Add(before, g) : Py_NewRef(g);
        if (total != NULL) PyDict_SetItem(s->found, source, total);
        Py_XDECREF(total);
        Py_DECREF(source);
        failed = PyErr_Occurred() != NULL;
    }
    Py_XDECREF(iterator);
    return failed ? -1 : 0;
}

/* sweep(edges, cotangents, wanted, wrapper), as in symtape/numeric/reverse.py. */
static PyObject *sweep(PyObject *module, PyObject *const *args, Py_ssize_t size) {
    if (size != 4)
        return PyErr_Format(PyExc_TypeError, "sweep: expected 4 arguments, not %zd", size);
    Sweep s = {args[1], args[2], args[3], PyDict_New(), PySet_New(NULL)};
    PyObject *edges = PyObject_GetIter(args[0]), *edge;
    int failed = edges == NULL || s.found == NULL || s.own == NULL;
    while (!failed && (edge = PyIter_Next(edges)) != NULL) {
        failed = pull_edge(&s, edge) < 0;
        Py_DECREF(edge);
    }
    failed = failed || PyErr_Occurred() || collect_wanted(&s) < 0;
    Py_XDECREF(edges);
    Py_XDECREF(s.own);
    if (failed) Py_CLEAR(s.found);
    return s.found;
}

/* ---- the module ------------------------------------------------------------------------- */

/* apply(row, inputs, params), for a row and a sequence of operands. */
static PyObject *apply_row(PyObject *module, PyObject *const *args, Py_ssize_t size) {
    if (size != 3)
        return PyErr_Format(PyExc_TypeError, "apply: expected 3 arguments, not %zd", size);
    if (!PyDict_Check(args[2])) Py_RETURN_NOTIMPLEMENTED;
    PyObject *inputs = PySequence_Fast(args[1], "inputs: expected a sequence");
    if (inputs == NULL) return NULL;
    PyObject *output = apply(args[0], PySequence_Fast_ITEMS(inputs),
                             PySequence_Fast_GET_SIZE(inputs), args[2], NULL, NULL);
    Py_DECREF(inputs);
    return output;
}

/* Where a slot of a class lies in its objects; -1 for an error. */
static Py_ssize_t offset_of(PyObject *type, const char *name) {
    PyObject *slot = PyObject_GetAttrString(type, name);
    Py_ssize_t offset = -1;
    if (slot != NULL && Py_TYPE(slot) == &PyMemberDescr_Type)
        offset = ((PyMemberDescrObject *)slot)->d_member->offset;
    else if (slot != NULL)
        PyErr_Format(PyExc_TypeError, "%R is no slot of %R", slot, type);
    Py_XDECREF(slot);
    return offset;
}

static PyObject *bind(PyObject *module, PyObject *args) {
    PyObject *tensor, *recorder, *rule, *array, *float64, *generic;
    if (!PyArg_ParseTuple(args, "O!O!O!(OOO)(OOO)OOO(OOOOOO)", &PyType_Type, &tensor, &PyType_Type,
                          &recorder, &PyType_Type, &rule, &array, &float64, &generic, &given.dtype,
                          &given.reals, &given.objects, &given.no_params, &given.stack,
                          &given.next_id, &given.operand, &given.record_output, &given.bring_back,
                          &given.gather, &given.bare, &given.add_to))
        return NULL;
    Py_INCREF(args); /* what it holds is used as long as the process lives */
    given.record = PyObject_GetAttr(recorder, s_record);
    given.value = offset_of(tensor, "_value");
    given.id = offset_of(tensor, "_id");
    given.edges = offset_of(recorder, "_edges");
    given.ids = offset_of(recorder, "_ids");
    given.first = offset_of(recorder, "_first");
    given.locator = offset_of(recorder, "_locator");
    given.selects = offset_of(recorder, "_selects");
    given.only = offset_of(rule, "only");
    given.function = offset_of(rule, "function");
    given.rule_selects = offset_of(rule, "selects");
    given.scatters = offset_of(rule, "scatters");
    if (PyErr_Occurred()) return NULL;
    given.rule = (PyTypeObject *)rule;
    given.array = (PyTypeObject *)array;
    given.float64 = (PyTypeObject *)float64;
    given.generic = (PyTypeObject *)generic;
    Py_CLEAR(edge_recorder);
    given.tensor = (PyTypeObject *)tensor;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"bind", bind, METH_VARARGS,
     "bind(Tensor, EdgeRecorder, Rule, types, dtypes, no_params, stack, next_id, functions)\n--\n\n"
     "Take the classes and functions in Python that are used here."},
    {"apply", (PyCFunction)(void (*)(void))apply_row, METH_FASTCALL,
     "apply(row, inputs, params)\n--\n\nEvaluate a row and let every recorder know.\n\n"
     "NotImplemented where Python has to look at the operands."},
    {"sweep", (PyCFunction)(void (*)(void))sweep, METH_FASTCALL,
     "sweep(edges, cotangents, wanted, wrapper)\n--\n\nAs symtape.numeric.reverse.sweep."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "accelerated", "The hot path of a tape, in C.", -1, functions,
};

PyMODINIT_FUNC PyInit_accelerated(void) {
#define INTERN(name)                                                                               \
    if ((s_##name = PyUnicode_InternFromString(#name)) == NULL) return NULL;
    NAMES(INTERN)
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddType(module, &MethodType) < 0) Py_CLEAR(module);
    return module;
}
