//! What is drawn on axes.

use super::{Axis, Ink, style};
use plotters::chart::ChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, ShapeStyle};

/// Something on a chart, in the units of its axes.
#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// A line from point to point.
    Line {
        points: Vec<(f64, f64)>,
        ink: Ink,
        width: u32,
    },
    /// A line that stays until the next point, and then jumps.
    Steps {
        points: Vec<(f64, f64)>,
        ink: Ink,
        width: u32,
    },
    /// Dots; one for all that lie on the same place.
    Dots {
        points: Vec<(f64, f64)>,
        ink: Ink,
        radius: u32,
        /// Not filled.
        is_ring: bool,
    },
    /// A filled rectangle between two corners.
    Box { corners: [(f64, f64); 2], ink: Ink },
    /// A text beside a point.
    Text {
        at: (f64, f64),
        text: String,
        ink: Ink,
        side: Side,
    },
}

/// Where a text is, seen from its point.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Right,
    Middle,
}

type Context<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
type Failed = Box<dyn std::error::Error>;

impl Mark {
    /// Draws it. `cut` makes a text right of a place on the horizontal axis as short as it must be.
    pub(super) fn draw(
        &self,
        chart: &Context<'_, '_>,
        cut: &dyn Fn(f64, &str) -> String,
    ) -> Result<(), Failed> {
        let area = chart.plotting_area();
        let stroke = |ink: Ink, width: u32| ShapeStyle::from(&ink.colour()).stroke_width(width);
        match self {
            Mark::Line { points, ink, width } => {
                area.draw(&PathElement::new(points.clone(), stroke(*ink, *width)))?;
            }
            Mark::Steps { points, ink, width } => {
                area.draw(&PathElement::new(steps(points), stroke(*ink, *width)))?;
            }
            Mark::Dots {
                points,
                ink,
                radius,
                is_ring,
            } => {
                let style = match is_ring {
                    true => stroke(*ink, 2),
                    false => ink.colour().filled(),
                };
                let mut drawn: Vec<(i32, i32)> = Vec::new();
                let places = points.iter().map(|point| area.map_coordinate(point));
                drawn.extend(places);
                let mut order: Vec<usize> = (0..drawn.len()).collect();
                order.sort_by_key(|at| drawn[*at]);
                order.dedup_by_key(|at| drawn[*at]);
                for at in order {
                    area.draw(&Circle::new(points[at], *radius, style))?;
                }
            }
            Mark::Box { corners, ink } => {
                area.draw(&Rectangle::new(*corners, ink.colour().filled()))?;
            }
            Mark::Text {
                at,
                text,
                ink,
                side,
            } => {
                let (place, text) = match side {
                    Side::Right => (HPos::Left, cut(at.0, text)),
                    Side::Middle => (HPos::Center, text.clone()),
                };
                let style = style(*ink).pos(Pos::new(place, VPos::Center));
                area.draw(&Text::new(text, *at, style))?;
            }
        }
        Ok(())
    }
}

/// The corners of a line that jumps.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut path: Vec<(f64, f64)> = Vec::new();
    for point in points {
        match path.as_slice() {
            // It goes on as before.
            [.., before, last] if before.1 == last.1 && last.1 == point.1 => {
                path.pop();
            }
            [.., last] if last.1 != point.1 => path.push((point.0, last.1)),
            _ => {}
        }
        path.push(*point);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn a_line_stays_until_it_jumps() {
        let points = [(1.0, 5.0), (2.0, 5.0), (3.0, 5.0), (4.0, 2.0), (5.0, 2.0)];
        let corners = [(1.0, 5.0), (3.0, 5.0), (4.0, 5.0), (4.0, 2.0), (5.0, 2.0)];
        assert_eq!(steps(&points), corners);
        assert_eq!(steps(&points[..1]), points[..1]);
    }
}
