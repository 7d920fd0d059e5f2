import { useRef, useState } from 'react'
import type { Tag, updateTag } from '#resources/tags/contract.ts'
import { queries } from '../../../data/refetch.ts'
import { call } from '../../../lib/call.ts'
import { Problem } from '../../../lib/problem.ts'
import { m } from '../../../messages/projects.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { openPick } from '../../../ui/pick.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import { Tag as TagMark } from '../../../ui/tag.tsx'
import { messageOf } from '../../../ui/trouble.tsx'
import { Swatches } from './hue-select.tsx'
import { askMerge } from './merge-tags.tsx'

interface Props {
  tag: Tag
  others: readonly Tag[]
  reason: string | undefined
  onRemove: () => void
}

/** One tag: its name is edited in place; a name that another one has offers to merge the two. */
export function TagRow({ tag, others, reason, onRemove }: Props) {
  const [name, setName] = useState(tag.name)
  const [error, setError] = useState<unknown>()
  const tried = useRef(tag.name)
  const off = reason !== undefined
  const save = async (body: { name?: string; color?: string }) => {
    setError(undefined)
    try {
      const sent = { params: { id: tag.id }, body }
      const saved = await call<typeof updateTag>('PATCH /api/v1/tags/:id', sent)
      setName(saved.name)
      queries.setQueryData<Tag[]>(['tags', tag.project_id], (all) =>
        all?.map((one) => (one.id === tag.id ? saved : one)),
      )
    } catch (thrown) {
      setError(thrown)
    }
  }
  const rename = () => {
    // A name that was refused is not sent again by leaving the field: what is offered about it stays.
    if (name.trim() === tag.name || name === tried.current) return
    tried.current = name
    void save({ name })
  }
  const same = others.find(({ id }) => id === takenBy(error))
  return (
    <Row>
      <Cell className="gut" title={m.tagCount(tag.task_count)}>
        {tag.task_count}
      </Cell>
      <Cell>
        <TagMark name={tag.name} color={tag.color} />
        <input
          className="field inline"
          aria-label={m.renameTag(tag.name)}
          aria-invalid={error !== undefined || undefined}
          value={name}
          maxLength={50}
          disabled={off}
          onChange={({ target }) => setName(target.value)}
          onBlur={rename}
          onKeyDown={(event) => {
            if (event.key === 'Enter') rename()
            if (event.key === 'Escape') setName(tag.name)
          }}
        />
        {error !== undefined && (
          <span className="error" role="alert">
            {same ? m.tagExists(same.name) : messageOf(error)}
            {same && (
              <Button onClick={() => askMerge(tag, same)}>{m.merge(tag.name, same.name)}</Button>
            )}
          </span>
        )}
      </Cell>
      <Cell>
        <Swatches
          value={tag.color}
          onChange={(color) => void save({ color })}
          aria-label={m.colourOf(tag.name)}
          disabled={off}
        />
      </Cell>
      <Cell className="end">
        <IconButton
          icon="group"
          label={m.mergeWith(tag.name)}
          disabled={off || others.length === 0}
          onClick={({ currentTarget }) => pickOther(currentTarget, tag, others)}
        />
        <IconButton icon="trash" label={m.deleteTag(tag.name)} disabled={off} onClick={onRemove} />
      </Cell>
    </Row>
  )
}

/** The tag that has the name already, if that is why it was refused. */
const takenBy = (error: unknown): string | undefined =>
  error instanceof Problem && error.code === 'tag_exists'
    ? error.details[0]?.resource_id
    : undefined

const pickOther = (anchor: Element, tag: Tag, others: readonly Tag[]): void => {
  openPick({
    anchor,
    label: m.mergeTitle(tag.name),
    options: others.map(({ id, name, color }) => ({
      id,
      label: name,
      mark: <TagMark name={name} color={color} />,
    })),
    picked: [],
    onPick: ([id]) => {
      const into = others.find((one) => one.id === id)
      if (into) askMerge(tag, into)
    },
  })
}
