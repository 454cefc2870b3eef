use greenroom::actor;

#[actor(local)]
struct OnTheType;

#[actor]
impl OnTheType {}

#[actor]
struct OnTheBlock;

#[actor(local)]
impl OnTheBlock {}

fn main() {}
