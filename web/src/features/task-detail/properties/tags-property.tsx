import { createProjectTag, toNewTag, useTags } from '../../../data/resources/tags.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { nearestHue } from '../../../lib/browser/hue.ts'
import { mutationMessages } from '../../../messages/app/mutations.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { TagLabel } from '../../../ui/marks/tag-label.tsx'
import { PickerButton } from '../../../ui/overlays/picker-button.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'

export function TagsProperty() {
  const { task } = useOpenTask()
  const tags = useTags(task.project_id)
  const { write, createTags } = useBlockReasons()
  const taskTags = tags.filter(({ id }) => task.tag_ids.includes(id))
  return (
    <PropertyRow
      label={taskDetailMessages.tags}
      fields={['tag_ids']}
      empty={task.tag_ids.length === 0}
    >
      <PickerButton
        className="value"
        data-does="tags"
        label={taskDetailMessages.changeOf(
          taskDetailMessages.tags,
          taskTags.map(({ name }) => name).join(', ') || taskDetailMessages.noTags,
        )}
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
            changeTask(task.id, patch, { label: projectViewMessages.tagsSet(task.short_id) })
          },
          ...(createTags === undefined && {
            create: {
              label: mutationMessages.newTag,
              run: async (typed: string) => {
                const { id, name } = await createProjectTag(
                  task.project_id,
                  toNewTag(task.project_id, typed),
                )
                return { id, label: name }
              },
            },
          }),
        }}
      >
        {taskTags.length === 0 && <span className="quiet">{taskDetailMessages.noTags}</span>}
        {taskTags.map(({ id, name, color }) => (
          <TagLabel key={id} name={name} color={color} />
        ))}
      </PickerButton>
    </PropertyRow>
  )
}

/** The colour of a tag. */
const Swatch = ({ color }: { color: string }) => (
  <span className="swatch" data-h={nearestHue(color)} />
)
