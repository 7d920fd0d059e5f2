import type { MenuItem, MenuSection } from './floats.ts'
import { Opener, type OpenerProps } from './opener.tsx'

export type { MenuItem, MenuSection }

type Offered = { items: readonly MenuItem[] } | { sections: readonly MenuSection[] }

/** A button with a menu: `label` names both. */
export function MenuButton(props: OpenerProps & Offered) {
  const { offered, rest } = split(props)
  return (
    <Opener
      {...rest}
      opens="menu"
      float={(anchor) => ({
        kind: 'menu',
        anchor,
        label: rest.label,
        sections: sectionsOf(offered),
      })}
    />
  )
}

const sectionsOf = (offered: Offered): readonly MenuSection[] =>
  'sections' in offered ? offered.sections : [{ items: offered.items }]

function split(props: OpenerProps & Offered): { offered: Offered; rest: OpenerProps } {
  if ('sections' in props) {
    const { sections, ...rest } = props
    return { offered: { sections }, rest }
  }
  const { items, ...rest } = props
  return { offered: { items }, rest }
}
