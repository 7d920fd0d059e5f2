import type { HintedNoun, StaleHint } from '#wire/stale-hint.ts'

/** A change that an operation reports because the feed of changes does not carry the record. */
export interface HintNote {
  noun: HintedNoun
  id: string
  /** The project whose viewers learn of it; absent: it concerns the whole workspace. */
  project_id?: string
  /** The user who learns of it beside owners and admins, or `''` for nobody else. Absent: everybody. */
  only_for?: string
}

/**
 * A hint and its audience. Processes send it to each other as JSON, also while two releases run side by
 * side: do not rename its keys.
 */
export interface Hint {
  hint: StaleHint
  only_for?: string
}
