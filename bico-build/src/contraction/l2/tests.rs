use super::*;

#[test]
fn the_model_orders_launches_as_the_simulation_does() {
    let agreement = agreement(&cases(7, 25, false));
    println!("{agreement:?}");
    assert_eq!(agreement.cases, 200);
    assert!(agreement.bytes >= 0.9, "{agreement:?}");
    assert!(agreement.excess >= 0.9, "{agreement:?}");
}
