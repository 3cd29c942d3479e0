@sides@
@block_a@
@block_b@
//? if keeps_a
if (!same(block_a, kept_a))
  pack_a(packed_a, kept_a = block_a@a_steps@);
//? else
pack_a(packed_a, block_a@a_steps@);
//? end
//? if keeps_b
if (!same(block_b, kept_b))
  pack_b(packed_b, kept_b = block_b@b_steps@);
//? else
pack_b(packed_b, block_b@b_steps@);
//? end
@output@
multiply(to, packed_@r@, packed_@c@, along_@row@, along_@col@, along_k);
