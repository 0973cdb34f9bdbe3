from langgraph.store.sqlite import SqliteStore
import sqlite3, sys
c=sqlite3.connect(sys.argv[1], isolation_level=None)
s=SqliteStore(c); s.setup()
s.put(("users","ann"),"likes",{"food":"soup","n":1.5,"l":[1,None,"ü"]})
s.put(("users","ann"),"likes",{"food":"cake"})
s.put(("users","größe"),"a/b.c",{"x":1})
s.put(("deep",)+("d"*40,)*12,"k",{"y":1})
s.put(("t",),"soon",{"z":1},ttl=60*24*365*50)
c.commit(); c.close()
