// Ten times as long as in `npm test`: LIVES_TIMES in vitest.config.ts.
import './devices.test.ts'
