// Units of size in bytes, for bounds and settings. They are binary, as operating systems and
// databases count memory.

export const KiB = 1024
export const MiB = 1024 * KiB
