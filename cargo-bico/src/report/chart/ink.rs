//! Colours, of which the page's style sheet has two sets: one for light, one for dark.

use plotters::style::RGBColor;

/// What something is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Text and axes.
    Text,
    /// What stays behind: grid lines, names of axes.
    Faint,
    /// The search.
    Search,
    /// Random choice.
    Random,
    /// The ranked order.
    Ranked,
    /// What is guaranteed.
    Promise,
    /// Failures.
    Failed,
    /// A shade of a heat map, 0 (best) to 5, and the text on it.
    Heat(u8),
    OnHeat(u8),
}

/// Shades of a heat map.
pub(crate) const SHADES: u8 = 6;

impl Ink {
    fn number(self) -> u8 {
        match self {
            Ink::Text => 1,
            Ink::Faint => 2,
            Ink::Search => 3,
            Ink::Random => 4,
            Ink::Ranked => 5,
            Ink::Promise => 6,
            Ink::Failed => 7,
            Ink::Heat(shade) => 16 + shade,
            Ink::OnHeat(shade) => 32 + shade,
        }
    }

    /// Its variable in the style sheet.
    pub(crate) fn variable(self) -> String {
        match self {
            Ink::Text => "--text".into(),
            Ink::Faint => "--faint".into(),
            Ink::Search => "--search".into(),
            Ink::Random => "--random".into(),
            Ink::Ranked => "--ranked".into(),
            Ink::Promise => "--promise".into(),
            Ink::Failed => "--failed".into(),
            Ink::Heat(shade) => format!("--heat-{shade}"),
            Ink::OnHeat(shade) => format!("--on-heat-{shade}"),
        }
    }

    /// The colour that stands for it until [`inked`].
    pub(super) fn colour(self) -> RGBColor {
        RGBColor(250, 1, self.number())
    }

    pub(crate) fn all() -> impl Iterator<Item = Ink> {
        use Ink::{Failed, Faint, Promise, Random, Ranked, Search, Text};
        let named = [Text, Faint, Search, Random, Ranked, Promise, Failed];
        let shades = (0..SHADES).flat_map(|shade| [Ink::Heat(shade), Ink::OnHeat(shade)]);
        named.into_iter().chain(shades)
    }
}

/// A drawing with variables of the style sheet in place of the colours that stood for them. Texts have none of these in quotes:
/// theirs are escaped.
pub(super) fn inked(svg: &str) -> String {
    let mut svg = svg.to_string();
    for ink in Ink::all() {
        let RGBColor(r, g, b) = ink.colour();
        let stands = format!("\"#{r:02X}{g:02X}{b:02X}\"");
        svg = svg.replace(&stands, &format!("\"var({})\"", ink.variable()));
    }
    svg
}
