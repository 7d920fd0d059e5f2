/** How much larger than in `npm test` an experiment is run: `EXPERIMENT_SCALE=20 npm run test:all`. */
export const SCALE = Number(process.env.EXPERIMENT_SCALE ?? 1)

export const scaled = (count: number): number => Math.ceil(count * SCALE)
