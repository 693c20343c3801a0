"""Drives: motor, winding, thermal data, friction, supply and servo, data sheets."""
