import type { ReactNode, RefObject } from 'react'
import type { TypedValue } from '#lib/typed-sentence.ts'
import { toInstant, toWallTime } from '../../../lib/dates/time-zone.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { runAfterMenu } from '../../../ui/overlays/overlay-stack.ts'
import {
  openDatePicker,
  openPicker,
  type PickerConfig,
} from '../../../ui/overlays/picker-button.tsx'
import { PRIORITY_VALUES } from '../../property-definitions.ts'
import {
  estimateChoices,
  memberOptions,
  priorityOptions,
  tagOptions,
} from '../commands/field-pickers.tsx'
import type { ProjectWithoutCounts } from '../project-page-context.ts'
import type { useTaskLine } from './task-line.tsx'

interface ValueButtonsProps {
  line: ReturnType<typeof useTaskLine>
  /** The field of the line, which has the focus again after a choice. */
  field: RefObject<HTMLInputElement | null>
  /** Called before a picker takes the focus. */
  onOpen?: () => void
  /** The project that is chosen as well, if the line is not of a single one. */
  project?: { id: string; choices: readonly ProjectWithoutCounts[]; onPick: (id: string) => void }
}

/** The id of an option for a tag that does not exist yet, before its name. */
const NEW_TAG = 'new:'

/** Buttons that choose what can also be typed: nobody needs to know the words. */
export function ValueButtons({ line, field, onOpen, project }: ValueButtonsProps) {
  const { chips: values, addChip: onAdd, removeChip: onRemove } = line
  const { people, tags, me, canCreateTags } = line.choices
  const { properties } = projectViewMessages
  const find = <K extends TypedValue['kind']>(kind: K) =>
    values.find((one): one is Extract<TypedValue, { kind: K }> => one.kind === kind)
  /** Gives the line the focus that the picker leaves, unless it is somewhere else by now. */
  const returnFocus = (anchor: Element) =>
    runAfterMenu(() => {
      const { activeElement } = document
      if (activeElement === document.body || activeElement === anchor) field.current?.focus()
    })
  const change = (kind: TypedValue['kind'], value: TypedValue | undefined) => {
    if (value) return onAdd(value)
    const current = find(kind)
    if (current) onRemove(current)
  }
  const choose = (anchor: Element, label: string, pick: PickerConfig) => {
    onOpen?.()
    openPicker({ anchor, label, ...pick }, () => returnFocus(anchor))
  }
  const chooseNames = (
    anchor: Element,
    label: string,
    kind: 'who' | 'tag',
    more: Pick<PickerConfig, 'options' | 'create'>,
  ) => {
    const named = values
      .flatMap((one) => (one.kind === 'who' || one.kind === 'tag' ? one : []))
      .filter((one) => one.kind === kind)
    const toValue = (id: string): TypedValue | undefined => {
      if (id.startsWith(NEW_TAG))
        return { kind: 'new tag', typed: '', name: id.slice(NEW_TAG.length) }
      const option = more.options.find((one) => one.id === id)
      return option && { kind, typed: '', id, name: option.label }
    }
    choose(anchor, label, {
      ...more,
      several: true,
      picked: named.map(({ id }) => id),
      onPick: (_, { added, removed }) => {
        for (const id of added) {
          const value = toValue(id)
          if (value) onAdd(value)
        }
        for (const one of named) if (removed.includes(one.id)) onRemove(one)
      },
    })
  }
  const chooseDue = (anchor: Element) => {
    const due = find('due')
    onOpen?.()
    openDatePicker(
      {
        anchor,
        label: properties.due,
        timed: true,
        date: due?.date ?? null,
        at: due?.time ? toInstant(due.date, due.time) : null,
        onPick: ({ date, at }) =>
          change('due', date === null ? undefined : toDue(date, at && toWallTime(at))),
      },
      () => returnFocus(anchor),
    )
  }
  const choosePriority = (anchor: Element) =>
    choose(anchor, properties.priority, {
      options: priorityOptions(),
      picked: [find('priority')?.priority ?? 'none'],
      onPick: ([id]) => {
        const priority = PRIORITY_VALUES.find((one) => one === id)
        change('priority', priority && { kind: 'priority', typed: '', priority })
      },
    })
  const chooseEstimate = (anchor: Element) =>
    choose(anchor, properties.estimate, {
      ...estimateChoices(),
      picked: [String(find('estimate')?.seconds ?? 'none')],
      onPick: ([id]) => {
        const seconds = Number(id)
        change('estimate', seconds > 0 ? { kind: 'estimate', typed: '', seconds } : undefined)
      },
    })
  const choosePeople = (anchor: Element) =>
    chooseNames(anchor, properties.assignee, 'who', {
      options: memberOptions({ boot: { members: people }, me }),
    })
  const chooseTags = (anchor: Element) =>
    chooseNames(anchor, properties.tags, 'tag', {
      options: tagOptions(tags),
      ...(canCreateTags && {
        create: {
          label: quickAddMessages.createTag,
          run: async (name) => ({ id: `${NEW_TAG}${name}`, label: name }),
        },
      }),
    })
  const chooseProject = (anchor: Element, { id, choices, onPick }: NonNullable<typeof project>) =>
    choose(anchor, properties.project, {
      options: choices.map(({ id, name, prefix }) => ({ id, label: name, hint: prefix })),
      picked: [id],
      // The line moves to another group, and takes the focus after the picker has given it back.
      onPick: ([picked]) =>
        picked !== undefined && picked !== id && runAfterMenu(() => onPick(picked)),
    })
  const buttons: [label: string, mark: ReactNode, open: (anchor: Element) => void][] = [
    [properties.due, <Icon key="due" name="day" />, chooseDue],
    [properties.assignee, <Icon key="who" name="person" />, choosePeople],
    [properties.priority, <PriorityMark key="priority" priority="high" silent />, choosePriority],
    [properties.tags, <Icon key="tags" name="tag" />, chooseTags],
    [properties.estimate, <Icon key="estimate" name="clock" />, chooseEstimate],
  ]
  if (project)
    buttons.push([
      properties.project,
      <Icon key="project" name="project" />,
      (anchor) => chooseProject(anchor, project),
    ])
  return (
    <div className="value-buttons" role="group" aria-label={quickAddMessages.values}>
      {buttons.map(([label, mark, open]) => (
        <Button
          key={label}
          kind="plain"
          title={label}
          aria-haspopup="dialog"
          // The line keeps the focus until a picker has it.
          onPointerDown={(event) => event.preventDefault()}
          onClick={(event) => open(event.currentTarget)}
        >
          {mark}
          <span>{label}</span>
        </Button>
      ))}
    </div>
  )
}

const toDue = (date: string, time: string | null): TypedValue => ({
  kind: 'due',
  typed: '',
  date,
  ...(time && { time }),
})
