/** A file that cannot be read as a whole: the message is for whoever chose it. */
export class Unreadable extends Error {}
