import { m } from '../../messages/tasks.ts'
import { MenuButton, type MenuItem } from '../../ui/menu.tsx'
import { BOARD_GROUPS, firstOrder, GROUPS, SORTS, type View } from './view.ts'

interface Props {
  view: View
  look: (change: Partial<View>) => void
}

/** By what the tasks are grouped and sorted. */
export function ViewMenus({ view, look }: Props) {
  const groups: readonly View['group'][] = view.shape === 'board' ? BOARD_GROUPS : GROUPS
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
  return (
    <>
      <MenuButton
        kind="plain"
        label={m.groupedBy(m.groups[view.group])}
        items={groups.map((group) => ({
          ...{ id: group, label: m.groups[group], checked: group === view.group },
          run: () => look({ group }),
        }))}
      >
        <span className="quiet">{m.groupBy}</span> {m.groups[view.group]}
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
