//! Where look-ups are typed and answers printed.

use std::io::{self, BufRead, IsTerminal, Write};
use std::thread;

use tokio::sync::mpsc;

/// Lines that come in and text that goes out; in tests neither is a terminal's.
pub struct Console {
    input: Option<mpsc::Receiver<String>>,
    output: Box<dyn Write + Send>,
    is_prompting: bool,
}

impl Console {
    /// Standard input, which is not touched before a line is asked for, and standard output.
    pub fn standard() -> Self {
        let is_prompting = io::stdin().is_terminal();
        Console {
            input: None,
            output: Box::new(io::stdout()),
            is_prompting,
        }
    }

    /// Writes all of a text.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// Asks for the next line; `None` when the input is closed.
    pub async fn line(&mut self) -> io::Result<Option<String>> {
        if self.is_prompting {
            self.print("word> ")?;
        }
        Ok(self.input.get_or_insert_with(typed_lines).recv().await)
    }
}

/// The lines of standard input. They are read on a thread of their own, which nothing waits for:
/// a read that is pending when the program is to end can't be called off.
fn typed_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

#[cfg(test)]
impl Console {
    /// A console on which these lines were typed, and then the end of the input.
    pub fn typed(lines: &[&str], output: impl Write + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel(lines.len().max(1));
        for line in lines {
            sender
                .try_send((*line).to_owned())
                .expect("there is a slot for each line");
        }
        Console {
            input: Some(receiver),
            output: Box::new(output),
            is_prompting: false,
        }
    }
}
