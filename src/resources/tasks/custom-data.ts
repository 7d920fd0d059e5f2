import { type TSchema, Type } from 'typebox'
import { KeyPattern, MultilineText, Nullable } from '#wire/schema-builders.ts'

/** The most custom fields of a task, and the most texts of its metadata. */
export const MAX_OBJECT_MEMBERS = 50

const { MAX_SAFE_INTEGER } = Number

type CustomValue = string | number | boolean | string[]
const CUSTOM_VALUES = [
  MultilineText(0, 1_000),
  // Before the number: Python clients try them in turn, and read false as 0.
  Type.Boolean(),
  Type.Number({ minimum: -MAX_SAFE_INTEGER, maximum: MAX_SAFE_INTEGER }),
  Type.Array(MultilineText(0, 200), { maxItems: 20 }),
]

const customFields = (title: string, values: TSchema, description: string) =>
  Type.Unsafe<Record<string, CustomValue>>({
    title,
    description,
    type: 'object',
    propertyNames: KeyPattern(
      '^[a-z][a-z0-9_]{0,39}$',
      'of up to 40 lower-case letters, digits and underscores that starts with a letter',
    ),
    maxProperties: MAX_OBJECT_MEMBERS,
    additionalProperties: values,
  })

/** Custom fields of the workspace, for people. */
export const CustomFields = customFields(
  'CustomFields',
  Type.Union(CUSTOM_VALUES, {
    title: 'CustomFieldValue',
    description: 'A text, a number, true or false, or a list of texts.',
  }),
  'Your own fields, by key. A value is a text, a number, true or false, or a list of texts.',
)
export const CustomFieldChanges = customFields(
  'CustomFieldChanges',
  Type.Union([...CUSTOM_VALUES, Type.Null()], {
    title: 'CustomFieldChange',
    description: 'The new value of a custom field; null removes the field.',
  }),
  'The custom fields to set, by key; null removes one. Those that are absent stay as they are.',
)

const metadata = (title: string, value: TSchema, description: string) =>
  Type.Unsafe<Record<string, string>>({
    title,
    description,
    type: 'object',
    propertyNames: KeyPattern(
      '^[A-Za-z0-9_.:-]{1,40}$',
      'of 1 to 40 letters, digits, underscores, dots, colons and hyphens',
    ),
    maxProperties: MAX_OBJECT_MEMBERS,
    additionalProperties: value,
  })

const MetadataText = MultilineText(0, 500)
export const Metadata = metadata(
  'Metadata',
  MetadataText,
  'Your own texts for programs, by key. The app does not show them.',
)
export const MetadataChanges = metadata(
  'MetadataChanges',
  Nullable(MetadataText),
  'The texts to set, by key; null removes one. Those that are absent stay as they are.',
)
