import { m } from '../../messages/tasks.ts'
import { MenuButton, type MenuItem } from '../../ui/menu.tsx'
import { BOARD_GROUPS, firstOrder, GROUPS, LANES, SORTS, type View } from './view.ts'

interface Props {
  view: View
  look: (change: Partial<View>) => void
}

/** By what the tasks are grouped and sorted. */
export function ViewMenus({ view, look }: Props) {
  const { group, lanes } = view
  const onBoard = view.shape === 'board'
  const groups: readonly View['group'][] = onBoard ? BOARD_GROUPS : GROUPS
  const name = lanes === 'none' ? m.groups[group] : m.across(m.groups[group], m.groups[lanes])
  const directions: MenuItem[] = [
    {
      id: 'up',
      label: m.ascending,
      checked: !view.descending,
      run: () => look({ descending: false }),
    },
    {
      id: 'down',
      label: m.descending,
      checked: view.descending,
      run: () => look({ descending: true }),
    },
  ]
  const across = LANES.filter((one) => one !== group).map((one) => ({
    ...{ id: `lanes-${one}`, label: m.groups[one], checked: one === lanes },
    run: () => look({ lanes: one }),
  }))
  return (
    <>
      <MenuButton
        kind="plain"
        label={m.groupedBy(name)}
        sections={[
          {
            items: groups.map((one) => ({
              ...{ id: one, label: m.groups[one], checked: one === group },
              run: () => look({ group: one, ...(one === lanes && { lanes: 'none' }) }),
            })),
          },
          ...(onBoard ? [{ label: m.lanes, items: across }] : []),
        ]}
      >
        <span className="quiet">{m.groupBy}</span> {name}
      </MenuButton>
      <MenuButton
        kind="plain"
        label={m.sortedBy(m.sorts[view.sort])}
        sections={[
          {
            items: SORTS.map((sort) => ({
              ...{ id: sort, label: m.sorts[sort], checked: sort === view.sort },
              run: () => look(firstOrder(sort)),
            })),
          },
          ...(view.sort === 'position' ? [] : [{ items: directions }]),
        ]}
      >
        <span className="quiet">{m.sortBy}</span> {m.sorts[view.sort]}
      </MenuButton>
    </>
  )
}
