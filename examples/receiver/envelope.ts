/** What this program needs of an event; docs/webhooks.md tells of the rest. */
export interface Envelope {
  id: string
  type: string
  /** null for the test of a webhook. */
  sequence: number | null
  actor: { name: string }
  /** The whole record after the change; empty for the test of a webhook. */
  data: { id?: string; short_id?: string; title?: string; name?: string }
}
