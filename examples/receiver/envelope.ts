/** The fields of an event that this program uses; docs/guides/event-types.md describes the others. */
export interface WebhookEvent {
  id: string
  type: string
  /** null for a test event. */
  sequence: number | null
  actor: { name: string }
  /** The whole record after the change; empty for a test event. */
  data: { id?: string; short_id?: string; title?: string; name?: string }
}
