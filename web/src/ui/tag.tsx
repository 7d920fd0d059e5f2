import { hueOf } from '../lib/hue.ts'

/** A notched tag in the hue nearest to its `#rrggbb` colour. */
export function Tag({ name, color }: { name: string; color: string }) {
  return (
    <span className="tag" data-h={hueOf(color)}>
      {name}
    </span>
  )
}
