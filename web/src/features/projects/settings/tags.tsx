import { useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { createTag } from '#resources/tags/contract.ts'
import { useBoot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { hiddenTags, removeTag, useTags } from '../../../data/tags.ts'
import { call } from '../../../lib/call.ts'
import { HUES } from '../../../lib/hue.ts'
import { useSignal } from '../../../lib/signal.ts'
import { m } from '../../../messages/projects.ts'
import { Empty } from '../../../ui/empty.tsx'
import { FormLine, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { Table } from '../../../ui/table.tsx'
import { Swatches } from './hue-select.tsx'
import { TagRow } from './tag-row.tsx'

const COLUMNS = m.tagColumns.map((label, at) => ({ label, hidden: at === 3 }))

/** The tags of a project: named, coloured, counted, merged, deleted. */
export function Tags({ project }: { project: Project }) {
  const { role } = useBoot().session.user
  const tags = useTags(project.id)
  const hidden = useSignal(hiddenTags)
  const reason =
    role === 'guest' ? m.guestTags : project.status === 'archived' ? m.archivedReason : undefined
  const shown = tags.filter(({ id }) => !hidden.has(id))
  return (
    <>
      <NewTag project={project} reason={reason} />
      {shown.length === 0 ? (
        <Empty text={m.noTags} />
      ) : (
        <Table label={m.tabs.tags} className="tag-table" columns={COLUMNS}>
          {shown.map((tag) => (
            <TagRow
              key={tag.id}
              tag={tag}
              others={shown.filter(({ id }) => id !== tag.id)}
              reason={reason}
              onRemove={() => removeTag(tag)}
            />
          ))}
        </Table>
      )}
    </>
  )
}

function NewTag({ project, reason }: { project: Project; reason: string | undefined }) {
  const [color, setColor] = useState<string>(HUES[255])
  const [round, setRound] = useState(0)
  const send = async ({ name = '' }) => {
    const sent = { params: { id: project.id }, body: { name, color } }
    await call<typeof createTag>('POST /api/v1/projects/:id/tags', sent)
    await queries.invalidateQueries({ queryKey: ['tags', project.id] })
    setRound((now) => now + 1)
  }
  return (
    <Form key={round} className="set-form" label={m.newTag} onSubmit={send}>
      <FormLine>
        <p>{m.tagsWhy}</p>
      </FormLine>
      <TextField
        label={m.newTag}
        name="name"
        autoComplete="off"
        maxLength={50}
        disabled={reason !== undefined}
        autoFocus={round > 0}
        beside={
          <>
            <Swatches
              value={color}
              onChange={setColor}
              aria-label={m.colour}
              disabled={reason !== undefined}
            />
            <Submit reason={reason}>{m.addTag}</Submit>
          </>
        }
      />
    </Form>
  )
}
