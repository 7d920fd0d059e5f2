/**
 * The kinds of record whose changes the feed of changes lacks. `person`: in the people list of a project.
 * `editor`: who has the title or description of a task open for editing, which is stored nowhere.
 */
export type HintedNoun =
  | 'view'
  | 'template'
  | 'person'
  | 'member'
  | 'workspace'
  | 'webhook'
  | 'api_key'
  | 'application'
  | 'grant'
  | 'invitation'
  | 'notification'
  | 'editor'

/**
 * Asks a page to read a record again that has changed, because the feed of changes lacks it. Never
 * contains the record. Without a noun, any such record may have changed.
 */
export interface StaleHint {
  noun?: HintedNoun
  id?: string
  project_id?: string
  /** Of an editor: the person. Its `id` is that of the task. */
  user_id?: string
  /** The operation that changed it: a page ignores its own. */
  operation_id?: string
}
