import sys
from mem0.memory.storage import SQLiteManager
m=SQLiteManager(sys.argv[1])
a="11111111-2222-4333-8444-555555555555"; b="22222222-2222-4333-8444-555555555555"; c="33333333-2222-4333-8444-555555555555"
m.add_history(a,None,"Likes soup","ADD",created_at="2026-01-31T10:45:00.123456-08:00",actor_id="ann",role="user")
m.add_history(a,"Likes soup","Likes soup and größe","UPDATE",created_at="2026-01-31T10:45:00.123456-08:00",updated_at="2026-02-01T10:45:00.123456-08:00",role="user")
m.add_history(b,None,"Has a cat","ADD",created_at="2026-01-31T10:46:00-08:00")
m.add_history(b,"Has a cat",None,"DELETE",created_at="2026-01-31T10:46:00-08:00",updated_at="2026-02-02T10:46:00-08:00",is_deleted=1)
m.add_history(c,"Was a clerk","Is a baker","UPDATE",created_at="2026-01-31T10:46:00-08:00",updated_at="2026-02-02T10:46:00-08:00")
m.save_messages([{"role":"user","content":"I like soup"},{"role":"assistant","content":"noted","name":"bot"}],"user_id=ann")
m.close()
