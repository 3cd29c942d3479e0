//! From `syn`'s expressions to ours: what is outside the subset is an error on its token.

use crate::errors::Errors;
use crate::expr::{BinaryOp, Cast, Expr, ExprKind, UnaryOp};
use crate::messages;
use crate::spec::Name;
use proc_macro2::Span;
use syn::spanned::Spanned;

/// Turns `syn`'s trees into ours. Goes on after a mistake, with a placeholder in its place.
pub(crate) struct Lowering<'a> {
    pub(crate) errors: &'a mut Errors,
    /// Every `let` that was met: whether its name is free is for the caller to say.
    pub(crate) lets: Vec<Name>,
}

/// Stands where an expression could not be read. Its type is unknown, so that it causes no other error.
pub(crate) fn placeholder(span: Span) -> Expr {
    Expr {
        kind: ExprKind::Name(String::new()),
        span,
    }
}

/// Whether `expr` is (or contains nothing but) a [`placeholder`].
pub(crate) fn is_placeholder(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name.is_empty())
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(errors: &'a mut Errors) -> Self {
        Lowering {
            errors,
            lets: Vec::new(),
        }
    }

    pub(super) fn outside(&mut self, span: Span, what: &str) -> ExprKind {
        self.errors.report(span, messages::outside_subset(what));
        ExprKind::Name(String::new())
    }

    fn assignment(&mut self, span: Span) -> ExprKind {
        self.errors.report(span, messages::assignment());
        ExprKind::Name(String::new())
    }

    pub(crate) fn expr(&mut self, expr: &syn::Expr) -> Expr {
        let mut span = expr.span();
        let kind = match expr {
            syn::Expr::Paren(inner) => {
                return Expr {
                    span,
                    ..self.expr(&inner.expr)
                };
            }
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Lit(literal) => return self.literal(&literal.lit),
            syn::Expr::Path(path) => self.name(path),
            syn::Expr::Field(field) => {
                span = field.member.span();
                self.field(field)
            }
            syn::Expr::Unary(unary) => self.unary(unary),
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::If(branch) => self.branch(branch),
            syn::Expr::Match(of) => self.matching(of),
            syn::Expr::Block(block) if block.label.is_none() => return self.block(&block.block),
            syn::Expr::MethodCall(call) => self.method(call),
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::Cast(cast) => self.cast(cast),
            syn::Expr::Array(array) => {
                ExprKind::List(array.elems.iter().map(|item| self.expr(item)).collect())
            }
            syn::Expr::Range(range) => self.range(range),
            syn::Expr::Assign(assign) => self.assignment(assign.eq_token.span),
            other => {
                let (span, what) = stranger(other);
                self.outside(span, what)
            }
        };
        Expr { kind, span }
    }

    pub(super) fn boxed(&mut self, expr: &syn::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn name(&mut self, path: &syn::ExprPath) -> ExprKind {
        match path.path.get_ident() {
            Some(ident) if path.qself.is_none() => {
                let name = ident.to_string();
                if name.starts_with("r#")
                    || ["self", "Self", "super", "crate"].contains(&name.as_str())
                {
                    return self.outside(ident.span(), &format!("`{name}`"));
                }
                ExprKind::Name(name)
            }
            _ => self.outside(path.span(), "a path"),
        }
    }

    fn field(&mut self, field: &syn::ExprField) -> ExprKind {
        match (&*field.base, &field.member) {
            (syn::Expr::Path(base), syn::Member::Named(member)) if base.path.is_ident("device") => {
                ExprKind::Device(member.to_string())
            }
            (_, member) => self.outside(member.span(), "a field of something other than `device`"),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> ExprKind {
        let op = match unary.op {
            syn::UnOp::Neg(_) => UnaryOp::Neg,
            syn::UnOp::Not(_) => UnaryOp::Not,
            _ => {
                self.boxed(&unary.expr);
                return self.outside(unary.op.span(), "dereferencing");
            }
        };
        // The most negative number is in range only together with its sign.
        if let (UnaryOp::Neg, syn::Expr::Lit(literal)) = (op, &*unary.expr) {
            match &literal.lit {
                syn::Lit::Int(value) => return self.integer(value, true),
                syn::Lit::Float(value) => return self.float(value, true),
                _ => {}
            }
        }
        ExprKind::Unary(op, self.boxed(&unary.expr))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> ExprKind {
        use syn::BinOp;
        let op = match binary.op {
            BinOp::Add(_) => BinaryOp::Add,
            BinOp::Sub(_) => BinaryOp::Sub,
            BinOp::Mul(_) => BinaryOp::Mul,
            BinOp::Div(_) => BinaryOp::Div,
            BinOp::Rem(_) => BinaryOp::Rem,
            BinOp::Eq(_) => BinaryOp::Eq,
            BinOp::Ne(_) => BinaryOp::Ne,
            BinOp::Lt(_) => BinaryOp::Lt,
            BinOp::Le(_) => BinaryOp::Le,
            BinOp::Gt(_) => BinaryOp::Gt,
            BinOp::Ge(_) => BinaryOp::Ge,
            BinOp::And(_) => BinaryOp::And,
            BinOp::Or(_) => BinaryOp::Or,
            other => {
                self.boxed(&binary.left);
                self.boxed(&binary.right);
                let what = match other {
                    BinOp::BitAnd(_) => "the operator `&`",
                    BinOp::BitOr(_) => "the operator `|`",
                    BinOp::BitXor(_) => "the operator `^`",
                    BinOp::Shl(_) => "the operator `<<`",
                    BinOp::Shr(_) => "the operator `>>`",
                    _ => return self.assignment(other.span()),
                };
                return self.outside(other.span(), what);
            }
        };
        ExprKind::Binary(op, self.boxed(&binary.left), self.boxed(&binary.right))
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> ExprKind {
        let value = self.boxed(&cast.expr);
        let target = match &*cast.ty {
            syn::Type::Path(path) if path.path.is_ident("f64") => Cast::F64,
            syn::Type::Path(path) if path.path.is_ident("i64") => Cast::I64,
            other => {
                self.errors.report(other.span(), messages::cast_target());
                return ExprKind::Name(String::new());
            }
        };
        ExprKind::Cast(value, target)
    }
}

/// What an expression is that has no counterpart, and the token that shows it.
fn stranger(expr: &syn::Expr) -> (Span, &'static str) {
    match expr {
        syn::Expr::Closure(closure) => (closure.inputs_begin.span, "a closure"),
        syn::Expr::Macro(call) => (call.mac.path.span(), "a macro call"),
        syn::Expr::Index(index) => (index.bracket_token.span.open(), "indexing"),
        syn::Expr::Tuple(tuple) => (tuple.paren_token.span.open(), "a tuple"),
        syn::Expr::Struct(value) => (value.path.span(), "a struct"),
        syn::Expr::Reference(reference) => (reference.and_token.span, "a reference"),
        syn::Expr::Repeat(repeat) => (repeat.semi_token.span, "a repeated value"),
        syn::Expr::Let(expr) => (expr.let_token.span, "`if let`"),
        syn::Expr::Unsafe(block) => (block.unsafe_token.span, "`unsafe`"),
        syn::Expr::Return(expr) => (expr.return_token.span, "`return`"),
        syn::Expr::Try(expr) => (expr.question_token.span, "`?`"),
        syn::Expr::While(expr) => (expr.while_token.span, "a loop"),
        syn::Expr::Loop(expr) => (expr.loop_token.span, "a loop"),
        syn::Expr::ForLoop(expr) => (expr.for_token.span, "a loop"),
        other => (other.span(), "this expression"),
    }
}
