/** Multiplies the size of experiments: `EXPERIMENT_SCALE=20 npm test`. */
export const EXPERIMENT_SCALE = Number(process.env.EXPERIMENT_SCALE ?? 1)

export const scaleCount = (count: number): number => Math.ceil(count * EXPERIMENT_SCALE)
