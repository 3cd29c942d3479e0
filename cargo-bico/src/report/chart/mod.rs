//! Charts as SVG, drawn by plotters in colours that the page decides.

mod axis;
mod ink;
mod marks;

pub(crate) use axis::Axis;
pub(crate) use ink::{Ink, SHADES};
pub(crate) use marks::{Mark, Side};

use super::text::short;
use plotters::chart::ChartBuilder;
use plotters::drawing::IntoDrawingArea;
use plotters::prelude::SVGBackend;
use plotters::style::{Color, FontStyle, IntoFont, TextStyle};

/// Wide enough for a column of the page, narrow enough for a telephone: texts keep about their size on both.
const WIDTH: u32 = 400;
/// Left of all labels, and right of the axes.
const MARGIN: u32 = 24;
/// Plotters' idea of a font's size; it becomes 13 pixels.
const FONT: f64 = 16.0;
/// The width of a character of that size, at most on average.
const CHARACTER: f64 = 7.6;

/// A chart: axes, with what is drawn on them.
pub(crate) struct Chart {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// What the axes are; with the unit, where the ticks have none.
    pub(crate) x_name: String,
    pub(crate) y_name: String,
    /// The height of what lies within the axes.
    pub(crate) height: u32,
    pub(crate) marks: Vec<Mark>,
}

impl Chart {
    /// The drawing, for a page: it has no text that would say what it is, so the page must.
    pub(crate) fn svg(&self) -> String {
        let (below, left) = (46, self.left());
        let size = (WIDTH, self.height + below + 14);
        let mut svg = String::new();
        // What can go wrong is writing a file.
        let _ = self.draw(&mut svg, size, below, left);
        let svg = ink::inked(&svg);
        // What is so anyway.
        let svg = svg
            .replace(" opacity=\"1\"", "")
            .replace(" stroke=\"none\" stroke-width=\"1\"", "");
        // The page scales it.
        let (width, height) = size;
        svg.replacen(&format!(" width=\"{width}\" height=\"{height}\""), "", 1)
    }

    /// Room for the labels of the vertical axis and its name.
    fn left(&self) -> u32 {
        let labels = CHARACTER * self.y.widest() as f64;
        let name = if self.y_name.is_empty() { 0.0 } else { 20.0 };
        (labels + name + 16.0).min(0.54 * f64::from(WIDTH)) as u32
    }

    fn draw(
        &self,
        svg: &mut String,
        size: (u32, u32),
        below: u32,
        left: u32,
    ) -> Result<(), Box<dyn std::error::Error + '_>> {
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin_top(14)
            .margin_left(6)
            .margin_right(MARGIN - 6)
            .x_label_area_size(below)
            .y_label_area_size(left)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let mut mesh = chart.configure_mesh();
        if !self.y_name.is_empty() {
            mesh.y_desc(&self.y_name);
        }
        mesh.axis_style(Ink::Faint.colour())
            .bold_line_style(Ink::Faint.colour().mix(0.35))
            .light_line_style(Ink::Faint.colour().mix(0.0))
            .label_style(style(Ink::Text))
            .axis_desc_style(style(Ink::Text))
            .x_desc(&self.x_name)
            .x_labels(30)
            .y_labels(60)
            .draw()?;
        let width = f64::from(WIDTH - left - MARGIN);
        for mark in &self.marks {
            mark.draw(&chart, &|x, text| {
                let room = width * (1.0 - self.x.place(x)) + f64::from(MARGIN);
                short(text, (room / CHARACTER) as usize)
            })?;
        }
        area.present()?;
        Ok(())
    }
}

fn style(ink: Ink) -> TextStyle<'static> {
    ("inherit", FONT, FontStyle::Normal)
        .into_font()
        .color(&ink.colour())
}
