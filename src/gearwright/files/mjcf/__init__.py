"""MJCF through MuJoCo's compiler: reading, and the sidecar for what MJCF cannot represent."""
