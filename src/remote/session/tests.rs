//! Claims about sessions, with two of them and bytes between.

mod actor;
mod attack;
mod attempt;
mod cuts;
mod ends;
mod floods;
mod garbage;
mod hostile;
mod larges;
mod model;
mod pair;
mod retained;
mod time;
mod windows;
mod world;
