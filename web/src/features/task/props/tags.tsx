import { makeTag, useTags } from '../../../data/tags.ts'
import { changeTask } from '../../../data/task-writes.ts'
import { hueOf } from '../../../lib/hue.ts'
import { m } from '../../../messages/task.ts'
import { PickButton } from '../../../ui/pick.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { Prop } from './prop.tsx'

export function TagsProp() {
  const { task } = useOpenTask()
  const tags = useTags(task.project_id)
  const { write, makeTags } = useRights()
  const own = tags.filter(({ id }) => task.tag_ids.includes(id))
  return (
    <Prop label={m.tags} fields={['tag_ids']}>
      <PickButton
        className="value"
        data-does="tags"
        label={m.changeOf(m.tags, own.map(({ name }) => name).join(', ') || m.noTags)}
        reason={write}
        pick={{
          several: true,
          picked: task.tag_ids,
          options: tags.map(({ id, name, color }) => ({
            id,
            label: name,
            mark: <Swatch color={color} />,
          })),
          onPick(_, { added, removed }) {
            if (added.length + removed.length === 0) return
            const patch = {
              ...(added.length > 0 && { add_tag_ids: added }),
              ...(removed.length > 0 && { remove_tag_ids: removed }),
            }
            changeTask(task.id, patch, { label: m.tagsSet(task.short_id) })
          },
          ...(makeTags === undefined && {
            create: {
              label: m.makeTag,
              run: async (typed: string) => {
                const { id, name } = await makeTag(task.project_id, typed)
                return { id, label: name }
              },
            },
          }),
        }}
      >
        {own.length === 0 && <span className="quiet">{m.noTags}</span>}
        {own.map(({ id, name, color }) => (
          <Tag key={id} name={name} color={color} />
        ))}
      </PickButton>
    </Prop>
  )
}

/** The colour of a tag, beside its name. */
const Swatch = ({ color }: { color: string }) => <span className="swatch" data-h={hueOf(color)} />
