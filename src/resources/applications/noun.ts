import { CREATION_FIELDS, defineArchivePart } from '#resources/noun.ts'
import {
  Id,
  List,
  MultilineText,
  Nullable,
  SingleLineText,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'

export const archivedApplications = defineArchivePart({
  line: StrictObject({
    id: Id('app'),
    name: SingleLineText(1, 100),
    description: Nullable(MultilineText(0, 2_000)),
    homepage_url: Nullable(SingleLineText(0, 2_048)),
    type: StringEnum(['confidential', 'public']),
    distribution: StringEnum(['private', 'public']),
    redirect_uris: List(SingleLineText(1, 2_048)),
    scopes: List(StringEnum(SCOPES)),
    ...CREATION_FIELDS,
  }),
  table: 'applications',
  json: ['redirect_uris', 'scopes'],
  people: ['created_by_id'],
})
