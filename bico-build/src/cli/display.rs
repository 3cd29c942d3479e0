//! Results of a replay as a table for people.

use crate::replay::{Plan, Summary};

/// A line per space and strategy, a column per budget; then the averages over the spaces.
pub(super) fn table(plan: &Plan, rows: &[Summary]) {
    let mut spaces: Vec<&str> = Vec::new();
    for row in rows {
        if !spaces.contains(&row.space.as_str()) {
            spaces.push(&row.space);
        }
    }
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0).max(8);
    let space_width = width(&mut spaces.iter().map(|space| space.len()));
    let name_width = width(&mut plan.strategies.iter().map(String::len));
    println!(
        "mean fraction of the optimum after N evaluations, {} seeds\n",
        plan.seeds
    );
    print!("{:space_width$}  {:name_width$}", "space", "strategy");
    for budget in &plan.budgets {
        print!("  {budget:>6}");
    }
    println!("  ms/eval");
    let line = |space: &str, strategy: &str, cells: &[&Summary]| {
        print!("{space:space_width$}  {strategy:name_width$}");
        for budget in &plan.budgets {
            let means: Vec<f64> = cells
                .iter()
                .filter(|cell| cell.budget == *budget)
                .map(|cell| cell.mean)
                .collect();
            print!("  {:6.4}", mean(&means));
        }
        let last = plan.budgets.last();
        let costs: Vec<f64> = cells
            .iter()
            .filter(|cell| Some(&cell.budget) == last)
            .map(|cell| cell.ms_per_evaluation)
            .collect();
        println!("  {:7.3}", mean(&costs));
    };
    for space in &spaces {
        for strategy in &plan.strategies {
            let cells: Vec<&Summary> = rows
                .iter()
                .filter(|row| row.space == *space && row.strategy == *strategy)
                .collect();
            line(space, strategy, &cells);
        }
    }
    if spaces.len() > 1 {
        println!();
        for strategy in &plan.strategies {
            let cells: Vec<&Summary> = rows
                .iter()
                .filter(|row| row.strategy == *strategy)
                .collect();
            line("average", strategy, &cells);
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
