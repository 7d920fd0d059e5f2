import { Type } from 'typebox'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { IdReference, List, Nullable, SingleLineText, StringEnum } from '#wire/schema-builders.ts'

/* The fields of a webhook that people write, each with what it means in a record or a body. */

export const SigningSecret = (description?: string) =>
  Type.String({ minLength: 8, maxLength: 256, ...(description && { description }) })
export const WebhookUrl = (description: string) =>
  Type.String({
    format: 'iri',
    maxLength: 2_048,
    examples: ['https://example.com/hook'],
    description,
  })
export const WebhookNote = (description: string) =>
  Nullable(SingleLineText(0, 200), { description })
const WebhookEventType = StringEnum([...EVENT_KINDS, '*'], {
  title: 'WebhookEventType',
  'x-open': true,
  description: 'A type of event, or `*` for all types. More types may be added.',
})
export const WebhookEvents = (description: string) =>
  List(WebhookEventType, {
    minItems: 1,
    maxItems: EVENT_KINDS.length,
    uniqueItems: true,
    description,
  })
export const WebhookProjects = (description: string) =>
  Nullable(List(IdReference('prj'), { minItems: 1, maxItems: 100, uniqueItems: true }), {
    description,
  })
