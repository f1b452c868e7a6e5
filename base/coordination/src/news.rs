//! What processes tell each other in passing. Nobody waits for it, and what is lost while Redis is away is lost.

use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::broadcast::error::RecvError;

use crate::Coordination;

impl Coordination {
    /// Tells every listener of a topic, in every process.
    pub async fn announce(&self, topic: &str, text: String) {
        if let Some(shared) = self.shared()
            && self.noted(shared.publish(topic, &text).await).is_some()
        {
            return;
        }
        self.local.announce(topic, text);
    }

    /// What is told about a topic from now on. While Redis is away, what this process tells.
    pub async fn listen(&self, topic: &str) -> BoxStream<'static, String> {
        if let Some(shared) = self.shared()
            && let Some(told) = self.noted(shared.subscribe(topic).await)
        {
            return told;
        }
        let topic = topic.to_owned();
        stream::unfold(self.local.listen(), |mut news| async move {
            loop {
                match news.recv().await {
                    Ok(item) => return Some((item, news)),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        })
        .filter_map(move |(about, text)| std::future::ready((about == topic).then_some(text)))
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_hears_what_is_told_about_its_topic() {
        let coordination = Coordination::alone();
        let mut heard = coordination.listen("news").await;
        coordination.announce("gossip", "no".to_owned()).await;
        coordination.announce("news", "yes".to_owned()).await;
        assert_eq!(heard.next().await.as_deref(), Some("yes"));
    }
}
