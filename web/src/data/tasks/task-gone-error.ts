/** The task was deleted, or the person has lost access, before a change of it was sent. */
export class TaskGoneError extends Error {}
