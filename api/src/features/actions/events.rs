//! The events that readers can cause: each is a call of its own on a group of actions.

use vocabulary::ActionEvent;

/// An event that a call causes, as the API's document describes the call.
pub(super) struct OfferedEvent {
    pub(super) event: ActionEvent,
    /// The last segment of the path.
    pub(super) path: &'static str,
    pub(super) operation_id: &'static str,
    pub(super) summary: &'static str,
    /// Why an action refuses it.
    pub(super) conflict: &'static str,
}

pub(super) static OFFERED: [OfferedEvent; 9] = [
    OfferedEvent {
        event: ActionEvent::Request,
        path: "requested",
        operation_id: "request_actions",
        summary: "Asks the team to deal with actions that are new or have appeared again.",
        conflict: "An action whose status does not allow it; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::CancelRequest,
        path: "cancelRequested",
        operation_id: "cancel_requests",
        summary: "Takes requests back: the actions are new again.",
        conflict: "An action that is not requested; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::Ignore,
        path: "ignored",
        operation_id: "ignore_actions",
        summary: "Sets actions aside that are neither requested nor ignored.",
        conflict: "An action whose status does not allow it; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::CancelIgnore,
        path: "cancelIgnore",
        operation_id: "cancel_ignoring",
        summary: "Takes ignored actions up again: they are new.",
        conflict: "An action that is not ignored; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::Manual,
        path: "inprogress",
        operation_id: "mark_actions_as_notified",
        summary: "Says that advertisers were notified by other means; `comments` become a note of each action. For staff.",
        conflict: "An action whose status does not allow it; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::Accept,
        path: "accept",
        operation_id: "accept_actions",
        summary: "Says that advertisers agree. For staff.",
        conflict: "An action whose status does not allow it; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::Refuse,
        path: "refuse",
        operation_id: "refuse_actions",
        summary: "Says that advertisers decline. For staff.",
        conflict: "An action whose status does not allow it; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::StopWork,
        path: "block",
        operation_id: "block_actions",
        summary: "Stops the work on actions. For staff.",
        conflict: "An action whose status does not allow it; nothing was changed",
    },
    OfferedEvent {
        event: ActionEvent::ForceReminders,
        path: "forceReminder",
        operation_id: "force_reminders",
        summary: "Begins a cycle of reminders, its clock now and its count at none, whatever the brand says. For staff.",
        conflict: "An action whose status does not allow it, in which a cycle runs, or without anybody to write to; nothing was changed",
    },
];

/// The call that causes an event; `None` where no call does.
pub(super) fn path_of(event: ActionEvent) -> Option<&'static str> {
    OFFERED
        .iter()
        .find(|offered| offered.event == event)
        .map(|offered| offered.path)
}
